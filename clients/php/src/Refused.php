<?php
declare(strict_types=1);

namespace Ishtirak;

/** The state of the user does not allow it (409), such as `prepaid_limit_reached`, or a cursor is too old (410). */
final class Refused extends \DomainException
{
    use AnsweredProblem;
}
