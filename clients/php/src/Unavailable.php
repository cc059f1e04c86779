<?php
declare(strict_types=1);

namespace Ishtirak;

/** No answer in time, or one that reports trouble (5xx, 429, 408). It says nothing about the user. */
final class Unavailable extends \RuntimeException
{
    use AnsweredProblem;
}
