<?php
declare(strict_types=1);

namespace Ishtirak;

/**
 * The key, the address, a secret or the call is wrong. No outage, and no RuntimeException: it lasts until it is mended.
 */
final class Misconfigured extends \LogicException
{
    use AnsweredProblem;
}
