<?php
declare(strict_types=1);

namespace Ishtirak;

/** Not sent by Ishtirak, or not now: answer 401 and do nothing. */
final class InvalidEvent extends \RuntimeException
{
}
