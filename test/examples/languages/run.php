<?php
// For each line {"command", "arguments", "input"} of standard input: calls a method of the client, `consume URL KEY USER
// LIMIT OPERATION`, or `verify NOW SECRET…` with {headers, body}, and prints what came of it as a line of JSON.
declare(strict_types=1);
require __DIR__ . '/autoload.php';

use Ishtirak\{Client, Events, InvalidEvent, Misconfigured, Refused, Unavailable};

function answer(string $command, array $arguments, ?array $given): string
{
    try {
        if ($command === 'verify') {
            $now = (int) array_shift($arguments);
            return json_encode(Events::verify($given['body'], $given['headers'], $arguments, $now));
        }
        $client = new Client(...array_splice($arguments, 0, 2));
        if ($command === 'as reader') {
            $client = $client->asPerson('lina', 'reader');
            $command = array_shift($arguments);
        }
        $takesFields = is_array(end($arguments)) && $command !== 'setMetadata';
        $fields = $takesFields ? array_pop($arguments) : [];
        $answer = $client->$command(...$arguments, ...$fields);
        return json_encode(is_string($answer) ? substr($answer, 0, 5) : $answer);
    } catch (Misconfigured $error) {
        return 'misconfigured: ' . $error->getMessage();
    } catch (Unavailable $error) {
        return 'unavailable: ' . $error->getMessage();
    } catch (Refused $error) {
        return 'refused: ' . $error->problemCode();
    } catch (InvalidEvent $error) {
        return 'invalid: ' . $error->getMessage();
    }
}

while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line, true, 64, JSON_THROW_ON_ERROR);
    echo json_encode(answer($asked['command'], $asked['arguments'], $asked['input'])), "\n";
}
