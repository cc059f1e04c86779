<?php
declare(strict_types=1);

namespace Ishtirak\Laravel;

use Illuminate\Contracts\Foundation\Application;
use Illuminate\Support\ServiceProvider;
use Ishtirak\Client;

/** Gives `Ishtirak\Client` of config/ishtirak.php, and the middleware `ishtirak.events`. */
final class IshtirakServiceProvider extends ServiceProvider
{
    private const CONFIG = __DIR__ . '/../../config/ishtirak.php';

    public function register(): void
    {
        $this->mergeConfigFrom(self::CONFIG, 'ishtirak');
        $this->app->singleton(Client::class, function (Application $app): Client {
            $config = $app->make('config');
            return new Client($config->get('ishtirak.url'), $config->get('ishtirak.api_key'));
        });
    }

    public function boot(): void
    {
        $this->publishes([self::CONFIG => $this->app->configPath('ishtirak.php')], 'ishtirak');
        $this->app->make('router')->aliasMiddleware('ishtirak.events', VerifyEvents::class);
    }
}
