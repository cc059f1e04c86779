<?php
// A platform in Laravel, for PHP's own server. FOLDER is a copy of this folder, beside a `vendor/composer/installed.json` that
// lists the package, so that the framework finds its service provider by itself.
declare(strict_types=1);
require dirname(__DIR__) . '/autoload.php';
require 'Illuminate/autoload.php';

use Illuminate\Foundation\Application;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\DB;

$app = new Application(getenv('FOLDER'));
$app->singleton(Illuminate\Contracts\Http\Kernel::class, Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Handler::class);

function startDeploy(string $deployId): string
{
    return "started $deployId";
}

$app->booted(function (): void {
    DB::statement('create table if not exists billing_events (id text primary key, event text not null)');
    require __DIR__ . '/routes.php';
});

$kernel = $app->make(Illuminate\Contracts\Http\Kernel::class);
$request = Request::capture();
$request->setUserResolver(fn () => (object) ['id' => $request->header('x-user')]);
$kernel->handle($request)->send();
