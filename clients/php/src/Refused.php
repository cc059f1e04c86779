<?php
declare(strict_types=1);

namespace Ishtirak;

/** The user's state or input does not allow it (409, 413, 422), such as `code_not_valid`. */
final class Refused extends \DomainException
{
    use AnsweredProblem;
}
