<?php
declare(strict_types=1);

namespace Ishtirak;

/** What the service answered, for the exceptions of the calls. */
trait AnsweredProblem
{
    /**
     * @param int|null $status of the answer; null where nothing was answered
     * @param array<string, mixed> $problem the body, RFC 9457; empty where it is not Ishtirak's own
     * @param int|null $retryAfter in how many seconds to try again, where the answer says it
     */
    public function __construct(
        string $message,
        public readonly ?int $status = null,
        public readonly array $problem = [],
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($message);
    }

    /** Stable, such as `already_subscribed`; null where the answer is not Ishtirak's own. */
    public function problemCode(): ?string
    {
        $code = $this->problem['code'] ?? null;
        return is_string($code) ? $code : null;
    }
}
