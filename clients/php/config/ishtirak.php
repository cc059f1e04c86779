<?php

return [
    // Where Ishtirak is, such as http://127.0.0.1:3000.
    'url' => env('ISHTIRAK_URL', ''),
    // One of its PLATFORM_API_KEYS.
    'api_key' => env('ISHTIRAK_API_KEY', ''),
    // Its EVENTS_SECRETS, separated by commas.
    'events_secrets' => array_filter(explode(',', env('ISHTIRAK_EVENTS_SECRETS', ''))),
];
