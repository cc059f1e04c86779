<?php
declare(strict_types=1);

namespace Ishtirak\Laravel;

use Closure;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Ishtirak\Events;
use Ishtirak\InvalidEvent;
use Symfony\Component\HttpFoundation\Response as AnyResponse;

/** Middleware: only a valid event passes, as the attribute `ishtirak.event` of the request. All else is answered 401. */
final class VerifyEvents
{
    public function __construct(private readonly Repository $config)
    {
    }

    public function handle(Request $request, Closure $next): AnyResponse
    {
        try {
            $secrets = $this->config->get('ishtirak.events_secrets');
            $event = Events::verify($request->getContent(), $request->headers->all(), $secrets);
        } catch (InvalidEvent) {
            return new Response('', 401);
        }
        $request->attributes->set('ishtirak.event', $event);
        return $next($request);
    }
}
