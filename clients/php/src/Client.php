<?php
declare(strict_types=1);

namespace Ishtirak;

/**
 * The calls of the platform, each bounded in time as a whole and repeated once where its outcome is unknown. Each throws
 * Unavailable, Misconfigured or Refused.
 */
final class Client extends UserCalls
{
    private readonly string $base;
    /** @var string[] headers that name who acts for the account */
    private array $person = [];

    /**
     * @param string $url where Ishtirak is
     * @param string $apiKey one of its PLATFORM_API_KEYS
     * @param float|null $timeout in seconds, for a whole call: looking the name up, the one retry and reading the answer
     *     included. Unset: 2, for a purchase 14, for a PDF 10, for `redeem` 7, for `uploadProof` 70
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

    /** The catalogue, the free plan first. */
    public function plans(): array
    {
        return $this->call('GET', '/api/v1/billing/plans');
    }

    /** What is sold: each plan's terms, the shortest first. */
    public function offers(): array
    {
        return $this->call('GET', '/api/v1/billing/offers');
    }

    /**
     * A page of all users, or of those of a state or plan, or of those that changed since an instant. `next_cursor`
     * is null on the last page.
     */
    public function listUsers(
        ?string $state = null,
        ?string $plan = null,
        ?string $changedSince = null,
        ?string $cursor = null,
        ?int $limit = null,
    ): array {
        $query = ['state' => $state, 'plan' => $plan, 'changed_since' => $changedSince];
        return $this->page('users', [...$query, 'cursor' => $cursor, 'limit' => $limit]);
    }

    /** A page of the payments of all users, newest first. */
    public function listPayments(
        ?string $status = null,
        ?string $createdFrom = null,
        ?string $cursor = null,
        ?int $limit = null,
    ): array {
        $query = ['status' => $status, 'created_from' => $createdFrom];
        return $this->page('payments', [...$query, 'cursor' => $cursor, 'limit' => $limit]);
    }

    /** The events of all users in one order. `$after` is an earlier `next_cursor`; after 90 days it is Refused. */
    public function listEvents(?string $after = null, ?int $limit = null): array
    {
        return $this->page('events', ['after' => $after, 'limit' => $limit]);
    }

    /** @param array<string, int|string|null> $query what is null is left out */
    private function page(string $list, array $query): array
    {
        return $this->call('GET', "/api/v1/platform/$list?" . http_build_query($query));
    }

    /** A client whose calls a person of the account makes: an `owner` (the default), `payer` or `reader`. */
    public function asPerson(string $personId, ?string $role = null): self
    {
        $client = clone $this;
        $roleHeader = $role === null ? [] : ["Ishtirak-Billing-Role: $role"];
        $client->person = ['Ishtirak-Person: ' . rawurlencode($personId), ...$roleHeader];
        return $client;
    }

    protected function ask(
        string $method,
        string $path,
        array $ids,
        array|string|null $given = null,
        ?string $part = null,
        float $seconds = self::SECONDS,
        bool $isFile = false,
        bool $once = false,
    ): array|string {
        $target = '/api/v1/platform/users' . vsprintf($path, array_map('rawurlencode', $ids));
        if ($method === 'GET' && $given) {
            $target .= '?' . http_build_query($given);
            $given = null;
        }
        $answer = $this->call($method, $target, $given, $seconds, $isFile, $once);
        return $part === null ? $answer : $answer[$part];
    }

    /** Repeated once, unless `$once`: every other call is idempotent. */
    private function call(
        string $method,
        string $path,
        array|string|null $body = null,
        float $seconds = self::SECONDS,
        bool $isFile = false,
        bool $once = false,
    ): array|string {
        $within = $this->timeout ?? $seconds;
        if ($once) {
            return $this->attempt($method, $path, $body, $within, $isFile);
        }
        $startedAt = hrtime(true);
        try {
            // Half of the time: a server that hangs must leave some for the retry.
            return $this->attempt($method, $path, $body, $within / 2, $isFile);
        } catch (Unavailable $first) {
            $left = $within - (hrtime(true) - $startedAt) / 1e9;
            if (($first->retryAfter ?? 0) > $left) {
                throw $first;
            }
        }
        try {
            return $this->attempt($method, $path, $body, $left, $isFile);
        } catch (Unavailable $second) {
            // Of two failures the one that says why.
            throw $second->status === null ? $first : $second;
        }
    }

    private function attempt(
        string $method,
        string $path,
        array|string|null $body,
        float $seconds,
        bool $isFile,
    ): array|string {
        $headers = ["Authorization: Bearer {$this->apiKey}", 'Accept: */*', ...$this->person];
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
            $headers[] = 'Content-Type: application/' . (is_array($body) ? 'json' : 'octet-stream');
            $sent = is_array($body) ? json_encode((object) $body, JSON_THROW_ON_ERROR) : $body;
            curl_setopt($handle, CURLOPT_POSTFIELDS, $sent);
        }
        curl_setopt($handle, CURLOPT_HTTPHEADER, $headers);
        $text = curl_exec($handle);
        if (!is_string($text)) {
            throw new Unavailable('billing is unreachable: ' . curl_error($handle));
        }
        $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        $isGood = $status >= 200 && $status < 300;
        $isPage = str_starts_with((string) curl_getinfo($handle, CURLINFO_CONTENT_TYPE), 'text/html');
        if ($isGood && $isFile && !$isPage) {
            return $text;
        }
        $answer = json_decode($text, true);
        if ($isGood && is_array($answer)) {
            return $answer;
        }
        throw $this->failure($status, is_array($answer) ? $answer : [], $retryAfter);
    }

    private function failure(int $status, array $problem, ?int $retryAfter): \Exception
    {
        $code = $problem['code'] ?? '';
        $said = $status . (is_string($code) ? " $code" : '');
        if ($status < 400 || $status >= 500 || in_array($status, [408, 429], true)) {
            return new Unavailable("billing cannot answer: $said", $status, $problem, $retryAfter);
        }
        $isOfPerson = $this->person !== [] && $code === 'forbidden';
        return $isOfPerson || in_array($status, [409, 410, 413, 422], true)
            ? new Refused("billing refused: $said", $status, $problem)
            : new Misconfigured("billing does not take the key or the call: $said", $status, $problem);
    }
}
