import { register } from 'node:module';

// For `--import`: imports of the packages whose names `WITHOUT_PACKAGES` matches fail as they do
// where the packages are not installed.
register('./without-packages-hooks.js', import.meta.url, { data: process.env.WITHOUT_PACKAGES });
