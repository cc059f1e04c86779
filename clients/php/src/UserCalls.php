<?php
declare(strict_types=1);

namespace Ishtirak;

/**
 * The calls about a user: one method each, named as in the JavaScript client. `$fields` are named
 * arguments, the
 * fields of the API's request: `$client->quote($id, 'pro', months: 6)`. A field that is null is sent as null.
 */
abstract class UserCalls
{
    protected const SECONDS = 2.0;
    /** The service answers a purchase within 6 seconds, and there may be two attempts. */
    private const PURCHASE = ['seconds' => 14.0];
    /** The first PDF after a start loads the fonts. */
    private const FILE = ['seconds' => 10.0, 'isFile' => true];

    abstract protected function ask(
        string $method,
        string $path,
        array $ids,
        array|string|null $given = null,
        ?string $part = null,
        float $seconds = self::SECONDS,
        bool $isFile = false,
        bool $once = false,
    ): array|string;

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
        return $this->ask('POST', '/%s/limits/%s/consume', [$userId, $limit], self::given([
            'operation_id' => $operationId,
            'amount' => $amount,
            'project_id' => $projectId,
            'scope_id' => $scopeId,
        ]));
    }

    /**
     * Gives back what was consumed under `$consumeOperationId` or `$operationId`, or `$amount` of what is
     * in use.
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
        return $this->ask('POST', '/%s/limits/%s/release', [$userId, $limit], self::given([
            'operation_id' => $operationId,
            'amount' => $amount,
            'consume_operation_id' => $consumeOperationId,
            'project_id' => $projectId,
            'scope_id' => $scopeId,
        ]));
    }

    /** Sets what is in use now: with `project_id` or `scope_id` if the limit is counted for each of them. */
    public function reportUsage(string $userId, string $limit, int $used, mixed ...$fields): array
    {
        return $this->ask('PUT', '/%s/limits/%s/usage', [$userId, $limit], ['used' => $used, ...$fields]);
    }

    /** Plan, status, end of the paid time, limits and usage. */
    public function user(string $userId): array
    {
        return $this->ask('GET', '/%s', [$userId]);
    }

    /** Sets the profile: `email`, `name`, `locale`. Null clears a field, and an absent field stays. */
    public function updateUser(string $userId, mixed ...$fields): array
    {
        return $this->ask('PUT', '/%s', [$userId], $fields);
    }

    public function status(string $userId): array
    {
        return $this->ask('GET', '/%s/status', [$userId]);
    }

    /** Plan, limits, usage, the renewal, the open checkout, and all time that was paid or granted. */
    public function overview(string $userId): array
    {
        return $this->ask('GET', '/%s/overview', [$userId]);
    }

    /** A link into the portal, `url`, until `expires_at`: it works once, so send the user there at once. */
    public function openPortal(string $userId, ?string $returnPath = null): array
    {
        $given = self::given(['return_path' => $returnPath]);
        return $this->ask('POST', '/%s/portal-sessions', [$userId], $given);
    }

    /**
     * A month of the plan, or its renewal: send the user to `checkout_url`. A repetition returns the same
     * payment.
     * Throws `Refused` with `already_subscribed` before the renewal window.
     */
    public function upgrade(string $userId, string $plan): array
    {
        return $this->ask('POST', '/%s/upgrade', [$userId], ['plan' => $plan], ...self::PURCHASE);
    }

    /** What a payment would buy and cost now: with `months`, `start`, `code`. */
    public function quote(string $userId, string $plan, mixed ...$fields): array
    {
        return $this->ask('GET', '/%s/quote', [$userId], ['plan' => $plan, ...$fields]);
    }

    /** Any term, or a dearer plan: with `months`, `start`, `code`, `method`, `return_url`, `po_number`. */
    public function createPayment(string $userId, string $plan, mixed ...$fields): array
    {
        return $this->ask(
            'POST', '/%s/payments', [$userId], ['plan' => $plan, ...$fields], ...self::PURCHASE,
        );
    }

    /** A page, newest first: with `limit`, `cursor`, `status`. */
    public function payments(string $userId, mixed ...$fields): array
    {
        return $this->ask('GET', '/%s/payments', [$userId], $fields);
    }

    public function payment(string $userId, string $paymentId): array
    {
        return $this->ask('GET', '/%s/payments/%s', [$userId, $paymentId]);
    }

    /**
     * Replaces what the platform notes at a payment: at most 20 names of 40 characters, with texts of 500.
     *
     * @param array<string, string> $metadata
     */
    public function setMetadata(string $userId, string $paymentId, array $metadata): array
    {
        $given = ['metadata' => (object) $metadata];
        return $this->ask('PUT', '/%s/payments/%s/metadata', [$userId, $paymentId], $given);
    }

    /** A page of PDF, in `lang`. */
    public function receipt(string $userId, string $paymentId, mixed ...$fields): string
    {
        return $this->ask('GET', '/%s/payments/%s/receipt', [$userId, $paymentId], $fields, ...self::FILE);
    }

    /** The invoice of a payment. It is issued if there is none. */
    public function invoice(string $userId, string $paymentId): array
    {
        return $this->ask('POST', '/%s/payments/%s/invoice', [$userId, $paymentId]);
    }

    /** The receipt, invoices and credit notes of a payment, oldest first. */
    public function documentsOf(string $userId, string $paymentId): array
    {
        return $this->ask('GET', '/%s/payments/%s/documents', [$userId, $paymentId], part: 'documents');
    }

    /** A page of PDF, in `lang`. */
    public function document(string $userId, string $paymentId, string $number, mixed ...$fields): string
    {
        return $this->ask(
            'GET', '/%s/payments/%s/documents/%s', [$userId, $paymentId, $number], $fields, ...self::FILE,
        );
    }

    /** The receipts and invoices of a year, as CSV in `lang`. */
    public function documents(string $userId, int $year, mixed ...$fields): string
    {
        return $this->ask('GET', '/%s/documents', [$userId], ['year' => $year, ...$fields], ...self::FILE);
    }

    /** Shows a transfer: a JPEG, PNG or PDF of at most 8 MiB. */
    public function uploadProof(string $userId, string $paymentId, string $file): array
    {
        return $this->ask('PUT', '/%s/payments/%s/proof', [$userId, $paymentId], $file, seconds: 70.0);
    }

    /** A page of PDF whose price holds: with `months`, `start`, `po_number`, `lang`. */
    public function proforma(string $userId, string $plan, mixed ...$fields): string
    {
        return $this->ask('GET', '/%s/proforma', [$userId], ['plan' => $plan, ...$fields], ...self::FILE);
    }

    /** Those whose price holds and that are not paid, newest first. */
    public function proformas(string $userId): array
    {
        return $this->ask('GET', '/%s/proformas', [$userId], part: 'proformas');
    }

    /** A page of PDF, in `lang`. */
    public function printProforma(string $userId, string $number, mixed ...$fields): string
    {
        return $this->ask('GET', '/%s/proformas/%s', [$userId, $number], $fields, ...self::FILE);
    }

    /** A transfer at the price of the proforma. */
    public function orderProforma(string $userId, string $number): array
    {
        return $this->ask('POST', '/%s/proformas/%s/payments', [$userId, $number]);
    }

    /** What an invoice names of the buyer, and what it lacks. */
    public function buyer(string $userId): array
    {
        return $this->ask('GET', '/%s/buyer', [$userId]);
    }

    /** Replaces all details of the buyer. */
    public function setBuyer(string $userId, mixed ...$fields): array
    {
        return $this->ask('PUT', '/%s/buyer', [$userId], $fields);
    }

    /** The days of the plan's trial, once. A second trial is Refused with `conflict`. */
    public function startTrial(string $userId, string $plan): array
    {
        return $this->ask('POST', '/%s/trial', [$userId], ['plan' => $plan], once: true);
    }

    /** A code that gives months, or, with `plan` and `months`, one that leaves nothing to pay. */
    public function redeem(string $userId, string $code, mixed ...$fields): array
    {
        // A wrong code that is sent twice counts twice.
        return $this->ask(
            'POST', '/%s/redeem', [$userId], ['code' => $code, ...$fields], seconds: 7.0, once: true,
        );
    }

    public function redemptions(string $userId): array
    {
        return $this->ask('GET', '/%s/redemptions', [$userId]);
    }

    /** The balance, its standing order, and a page of its changes: with `limit`, `cursor`. */
    public function balance(string $userId, mixed ...$fields): array
    {
        return $this->ask('GET', '/%s/balance', [$userId], $fields);
    }

    /** A payment that adds to the balance: with `method`, `return_url`. Send the user to `checkout_url`. */
    public function topUpBalance(string $userId, int $amount, mixed ...$fields): array
    {
        return $this->ask(
            'POST', '/%s/balance/top-ups', [$userId], ['amount' => $amount, ...$fields], ...self::PURCHASE,
        );
    }

    /** What the balance buys whenever the paid time ends: with `months`. */
    public function setRenewal(string $userId, string $plan, mixed ...$fields): array
    {
        return $this->ask('PUT', '/%s/balance/renewal', [$userId], ['plan' => $plan, ...$fields]);
    }

    /** Ends the standing order. The balance stays. */
    public function endRenewal(string $userId): array
    {
        return $this->ask('DELETE', '/%s/balance/renewal', [$userId]);
    }

    private static function given(array $fields): array
    {
        return array_filter($fields, fn ($value) => $value !== null);
    }
}
