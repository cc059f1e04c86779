<?php
// Calls a method of the client, `consume URL KEY USER LIMIT OPERATION`, or `verify NOW SECRET…` with {headers, body} on
// standard input.
declare(strict_types=1);
require __DIR__ . '/autoload.php';

use Ishtirak\{Client, Events, InvalidEvent, Misconfigured, Refused, Unavailable};

[, $command] = $argv;
$arguments = array_slice($argv, 2);
try {
    if ($command === 'verify') {
        $given = json_decode(stream_get_contents(STDIN), true, 64, JSON_THROW_ON_ERROR);
        $now = (int) array_shift($arguments);
        echo json_encode(Events::verify($given['body'], $given['headers'], $arguments, $now));
    } else {
        $client = new Client(...array_splice($arguments, 0, 2));
        echo json_encode($client->$command(...$arguments));
    }
} catch (Misconfigured $error) {
    echo 'misconfigured: ' . $error->getMessage();
} catch (Unavailable $error) {
    echo 'unavailable: ' . $error->getMessage();
} catch (Refused $error) {
    echo 'refused: ' . $error->problemCode();
} catch (InvalidEvent $error) {
    echo 'invalid: ' . $error->getMessage();
}
