<?php
declare(strict_types=1);

namespace Ishtirak;

/**
 * The calls of the platform, each bounded in time as a whole and repeated once where its outcome is unknown. Each throws
 * Unavailable, Misconfigured or Refused.
 */
final class Client
{
    private const SECONDS = 2.0;
    /** The service answers a purchase within 6 seconds, and there may be two attempts. */
    private const PURCHASE_SECONDS = 14.0;

    private readonly string $base;

    /**
     * @param string $url where Ishtirak is
     * @param string $apiKey one of its PLATFORM_API_KEYS
     * @param float|null $timeout in seconds, for a whole call: looking the name up, the one retry and reading the answer
     *     included. Unset: 2, for `upgrade` 14
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] private readonly string $apiKey,
        private readonly ?float $timeout = null,
    ) {
        if (preg_match('~^https?://[^/?#@\s]+(/[^?#\s]*)?$~D', $url) !== 1) {
            throw new Misconfigured('url is the address of billing, as https://billing.example.dz');
        }
        if (preg_match('/^[ -~]+$/D', $apiKey) !== 1) {
            throw new Misconfigured('apiKey is one of PLATFORM_API_KEYS, in ASCII on one line');
        }
        $this->base = rtrim($url, '/');
    }

    /**
     * Whether the user may. A no is an answer. The same `$operationId` counts once.
     *
     * @return array{allowed: bool, limit: int, used: int, remaining: int, resets_at: ?string, reason: ?string}
     */
    public function consume(
        string $userId,
        string $limit,
        string $operationId,
        int $amount = 1,
        ?string $projectId = null,
        ?string $scopeId = null,
    ): array {
        return $this->call('POST', self::limitPath($userId, $limit, 'consume'), 'allowed', [
            'operation_id' => $operationId,
            'amount' => $amount,
            'project_id' => $projectId,
            'scope_id' => $scopeId,
        ]);
    }

    /**
     * Gives back what was consumed under `$consumeOperationId` or `$operationId`, or `$amount` of what is in use.
     *
     * @return array{allowed: bool, limit: int, used: int, remaining: int, resets_at: ?string, reason: ?string}
     */
    public function release(
        string $userId,
        string $limit,
        string $operationId,
        ?int $amount = null,
        ?string $consumeOperationId = null,
        ?string $projectId = null,
        ?string $scopeId = null,
    ): array {
        return $this->call('POST', self::limitPath($userId, $limit, 'release'), 'allowed', [
            'operation_id' => $operationId,
            'amount' => $amount,
            'consume_operation_id' => $consumeOperationId,
            'project_id' => $projectId,
            'scope_id' => $scopeId,
        ]);
    }

    /**
     * Plan, status, end of the paid time, limits and usage of a user.
     *
     * @return array<string, mixed>
     */
    public function user(string $userId): array
    {
        return $this->call('GET', self::userPath($userId), 'user_id');
    }

    /**
     * A link into the portal: it works once, so send the user there at once.
     *
     * @return array{url: string, expires_at: string}
     */
    public function openPortal(string $userId, ?string $returnPath = null): array
    {
        $body = ['return_path' => $returnPath];
        return $this->call('POST', self::userPath($userId) . '/portal-sessions', 'url', $body);
    }

    /**
     * A month of the plan, `payment_id`: send the user to `checkout_url`. A repetition gives the same payment. Also the
     * renewal.
     *
     * @return array<string, mixed>
     */
    public function upgrade(string $userId, string $plan): array
    {
        $path = self::userPath($userId) . '/upgrade';
        return $this->call('POST', $path, 'checkout_url', ['plan' => $plan], self::PURCHASE_SECONDS);
    }

    /**
     * The plan's trial. It is sent once: a second trial is Refused with `conflict`.
     *
     * @return array<string, mixed>
     */
    public function startTrial(string $userId, string $plan): array
    {
        $path = self::userPath($userId) . '/trial';
        return $this->call('POST', $path, 'current_period_end', ['plan' => $plan], once: true);
    }

    /**
     * A page of all users, or of those of a state or plan, or of those that changed since an instant. The next page is
     * asked for with its `next_cursor`; null: it was the last.
     *
     * @return array{data: list<array<string, mixed>>, next_cursor: ?string}
     */
    public function listUsers(
        ?string $state = null,
        ?string $plan = null,
        ?string $changedSince = null,
        ?string $cursor = null,
    ): array {
        $query = ['state' => $state, 'plan' => $plan, 'changed_since' => $changedSince, 'cursor' => $cursor];
        return $this->page('users', $query);
    }

    /**
     * A page of the payments of all users, newest first. The next page is asked for with its `next_cursor`.
     *
     * @return array{data: list<array<string, mixed>>, next_cursor: ?string}
     */
    public function listPayments(?string $status = null, ?string $createdFrom = null, ?string $cursor = null): array
    {
        return $this->page('payments', ['status' => $status, 'created_from' => $createdFrom, 'cursor' => $cursor]);
    }

    /**
     * The events of all users in one order. `$after` is `next_cursor` of an earlier answer; after 90 days it is Refused.
     *
     * @return array{data: list<array<string, mixed>>, has_more: bool, next_cursor: string}
     */
    public function listEvents(?string $after = null): array
    {
        return $this->page('events', ['after' => $after]);
    }

    /** @param array<string, ?string> $query what is null is left out */
    private function page(string $list, array $query): array
    {
        return $this->call('GET', "/api/v1/platform/$list?" . http_build_query($query), 'data');
    }

    /**
     * Replaces what the platform notes at a payment: at most 20 names of 40 characters, with texts of 500.
     *
     * @param array<string, string> $metadata
     * @return array<string, mixed> the payment
     */
    public function setMetadata(string $userId, string $paymentId, array $metadata): array
    {
        $path = self::userPath($userId) . '/payments/' . rawurlencode($paymentId) . '/metadata';
        return $this->call('PUT', $path, 'metadata', ['metadata' => (object) $metadata]);
    }

    /**
     * Repeated once where that is idempotent.
     *
     * @param string $expected a field that the answer has
     * @param array<string, mixed>|null $body fields that are null are left out
     */
    private function call(
        string $method,
        string $path,
        string $expected,
        ?array $body = null,
        float $seconds = self::SECONDS,
        bool $once = false,
    ): array {
        $within = $this->timeout ?? $seconds;
        if ($once) {
            return $this->attempt($method, $path, $expected, $body, $within);
        }
        $startedAt = hrtime(true);
        try {
            // Half of the time: a server that hangs must leave some for the retry.
            return $this->attempt($method, $path, $expected, $body, $within / 2);
        } catch (Unavailable $first) {
            $left = $within - (hrtime(true) - $startedAt) / 1e9;
            if (($first->retryAfter ?? 0) > $left) {
                throw $first;
            }
        }
        try {
            return $this->attempt($method, $path, $expected, $body, $left);
        } catch (Unavailable $second) {
            // Of two failures the one that says why.
            throw $second->status === null ? $first : $second;
        }
    }

    private function attempt(string $method, string $path, string $expected, ?array $body, float $seconds): array
    {
        $headers = ["Authorization: Bearer {$this->apiKey}", 'Accept: application/json'];
        $retryAfter = null;
        $handle = curl_init($this->base . $path);
        curl_setopt_array($handle, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            // Of the whole attempt, where the timeout of a PHP stream is that of each read.
            CURLOPT_TIMEOUT_MS => max(1, (int) ($seconds * 1000)),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => function ($handle, string $line) use (&$retryAfter): int {
                if (preg_match('/^retry-after: *(\d{1,9})\s*$/i', $line, $found) === 1) {
                    $retryAfter = (int) $found[1];
                }
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            $fields = array_filter($body, fn ($value) => $value !== null);
            curl_setopt($handle, CURLOPT_POSTFIELDS, json_encode((object) $fields, JSON_THROW_ON_ERROR));
        }
        curl_setopt($handle, CURLOPT_HTTPHEADER, $headers);
        $text = curl_exec($handle);
        if (!is_string($text)) {
            throw new Unavailable('billing is unreachable: ' . curl_error($handle));
        }
        $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        $value = json_decode($text, true);
        $answer = is_array($value) ? $value : [];
        if ($status >= 200 && $status < 300 && array_key_exists($expected, $answer)) {
            return $answer;
        }
        throw self::failure($status, $answer, $retryAfter);
    }

    private static function failure(int $status, array $problem, ?int $retryAfter): \Exception
    {
        $code = $problem['code'] ?? '';
        $said = $status . (is_string($code) ? " $code" : '');
        if ($status < 400 || $status >= 500 || in_array($status, [408, 429], true)) {
            return new Unavailable("billing cannot answer: $said", $status, $problem, $retryAfter);
        }
        return in_array($status, [409, 410], true)
            ? new Refused("billing refused: $said", $status, $problem)
            : new Misconfigured("billing does not take the key or the call: $said", $status, $problem);
    }

    private static function userPath(string $userId): string
    {
        return '/api/v1/platform/users/' . rawurlencode($userId);
    }

    private static function limitPath(string $userId, string $limit, string $action): string
    {
        return self::userPath($userId) . '/limits/' . rawurlencode($limit) . "/$action";
    }
}
