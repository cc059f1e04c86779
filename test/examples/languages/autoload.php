<?php
// Loads classes as composer.json says, in place of Composer.
$package = dirname(__DIR__, 3) . '/clients/php';
['autoload' => ['psr-4' => $folders]] = json_decode(file_get_contents("$package/composer.json"), true);
spl_autoload_register(function (string $class) use ($package, $folders): void {
    foreach ($folders as $prefix => $folder) {
        if (str_starts_with($class, $prefix)) {
            require "$package/$folder" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        }
    }
});
