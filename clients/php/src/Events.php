<?php
declare(strict_types=1);

namespace Ishtirak;

/** Verifies events as Standard Webhooks (standardwebhooks.com) says: an event that is not valid is never parsed. */
final class Events
{
    private const TOLERANCE_SECONDS = 300;

    /**
     * The event of this raw body: `type`, `timestamp`, `data`, and `id`, the same when the event comes again.
     *
     * @param array<string, string|list<string>> $headers as `getallheaders()` or a PSR-7 or Symfony request has them
     * @param list<string> $secrets `whsec_…`, the old and the new one while they are rotated
     * @param int|null $now seconds since the epoch
     * @return array{id: string, type: string, timestamp: string, data: array<string, mixed>}
     * @throws InvalidEvent
     * @throws Misconfigured where there is no secret, or one is malformed
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter] array $secrets,
        ?int $now = null,
    ): array {
        $keys = array_map(self::readSecret(...), $secrets);
        if ($keys === []) {
            throw new Misconfigured('no secret of the events is set');
        }
        $headers = array_change_key_case($headers);
        $header = fn (string $name): string => (string) (((array) ($headers[$name] ?? ''))[0] ?? '');
        $id = $header('webhook-id');
        $sentAt = $header('webhook-timestamp');
        if (preg_match('/^\d{1,12}$/D', $sentAt) !== 1) {
            throw new InvalidEvent('the timestamp is not a number of seconds');
        }
        if (abs(($now ?? time()) - (int) $sentAt) > self::TOLERANCE_SECONDS) {
            throw new InvalidEvent('not of these five minutes');
        }
        $signatures = explode(' ', $header('webhook-signature'));
        foreach ($keys as $key) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
            foreach ($signatures as $signature) {
                if (hash_equals($expected, $signature)) {
                    return ['id' => $id] + json_decode($body, true, flags: JSON_THROW_ON_ERROR);
                }
            }
        }
        throw new InvalidEvent('not signed with a known secret');
    }

    private static function readSecret(#[\SensitiveParameter] string $secret): string
    {
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, strlen('whsec_')), true) : false;
        if ($key === false || $key === '') {
            throw new Misconfigured('a secret of the events is whsec_ followed by base64');
        }
        return $key;
    }
}
