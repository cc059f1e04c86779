<?php
// A platform in PHP without a framework, for PHP's own server; DATABASE is a file of SQLite.
declare(strict_types=1);
require __DIR__ . '/autoload.php';

use Ishtirak\{Client, Events, InvalidEvent, Unavailable};

$billing = new Client(getenv('ISHTIRAK_URL'), getenv('ISHTIRAK_API_KEY'));
$database = new PDO('sqlite:' . getenv('DATABASE'));
$database->exec('create table if not exists billing_events (id text primary key, event text not null)');
$userId = $_SERVER['HTTP_X_USER'] ?? '';
[, $place, $deployId] = explode('/', $_SERVER['REQUEST_URI'] . '/');

function startDeploy(string $deployId): void
{
    echo "started $deployId";
}

function deploy(Client $billing, string $userId, string $deployId): void
{
    try {
        $answer = $billing->consume($userId, 'deploys_per_day', operationId: $deployId);
    } catch (Unavailable) {
        // An outage of billing stops no deploy.
        startDeploy($deployId);
        return;
    }
    if (!$answer['allowed']) {
        http_response_code(429);
        echo "again at {$answer['resets_at']}";
        return;
    }
    startDeploy($deployId);
}

function receiveEvent(PDO $database): void
{
    try {
        $secrets = explode(',', getenv('ISHTIRAK_EVENTS_SECRETS'));
        $event = Events::verify(file_get_contents('php://input'), getallheaders(), $secrets);
    } catch (InvalidEvent) {
        http_response_code(401);
        return;
    }
    // A repeated event has the same id and changes nothing.
    $database->prepare('insert into billing_events (id, event) values (?, ?) on conflict do nothing')
        ->execute([$event['id'], json_encode($event)]);
    http_response_code(204);
}

match ($place) {
    'deploys' => deploy($billing, $userId, $deployId),
    'portal' => header("Location: {$billing->openPortal($userId)['url']}"),
    'upgrade' => header("Location: {$billing->upgrade($userId, 'pro')['checkout_url']}"),
    'billing' => receiveEvent($database),
    'stored' => print json_encode(array_map(
        fn (string $event) => json_decode($event)->type,
        $database->query('select event from billing_events')->fetchAll(PDO::FETCH_COLUMN),
    )),
};
