<?php
// Calls what docs/integrate.md shows: `token SECRET USER`, `consume URL KEY USER LIMIT OPERATION`, or `verify NOW SECRET…` with
// {headers, body} on standard input.
declare(strict_types=1);
require __DIR__ . '/ishtirak.php';

$arguments = array_slice($argv, 2);
try {
    if ($argv[1] === 'token') {
        echo ishtirak_token(...$arguments);
    } elseif ($argv[1] === 'consume') {
        echo json_encode(ishtirak_consume(...$arguments));
    } else {
        $given = json_decode(stream_get_contents(STDIN), true, 64, JSON_THROW_ON_ERROR);
        $now = (int) array_shift($arguments);
        echo json_encode(ishtirak_event($given['body'], $given['headers'], $arguments, $now));
    }
} catch (IshtirakMisconfigured $error) {
    echo 'misconfigured: ' . $error->getMessage();
} catch (IshtirakUnavailable $error) {
    echo 'unavailable: ' . $error->getMessage();
} catch (RuntimeException $error) {
    echo 'refused: ' . $error->getMessage();
}
