<?php
// The routes of clients/php/README.md, and one that shows what is stored.
declare(strict_types=1);

use Illuminate\Http\Request;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Route;
use Ishtirak\Client;
use Ishtirak\Unavailable;

Route::post('/deploys/{deployId}', function (Request $request, Client $billing, string $deployId) {
    try {
        $answer = $billing->consume((string) $request->user()->id, 'deploys_per_day', operationId: $deployId);
    } catch (Unavailable) {
        // An outage of billing stops no deploy.
        return startDeploy($deployId);
    }
    return $answer['allowed'] ? startDeploy($deployId) : response("again at {$answer['resets_at']}", 429);
});

Route::get('/portal', fn (Request $request, Client $billing) =>
    redirect()->away($billing->openPortal((string) $request->user()->id)['url']));

Route::post('/upgrade', fn (Request $request, Client $billing) =>
    redirect()->away($billing->upgrade((string) $request->user()->id, 'pro')['checkout_url']));

Route::post('/billing/events', function (Request $request) {
    $event = $request->attributes->get('ishtirak.event');
    // A repeated event has the same id and changes nothing.
    DB::table('billing_events')->insertOrIgnore(['id' => $event['id'], 'event' => json_encode($event)]);
    return response()->noContent();
})->middleware('ishtirak.events');

Route::get('/stored', fn () => DB::table('billing_events')->pluck('event')->map(fn ($event) => json_decode($event)->type));
