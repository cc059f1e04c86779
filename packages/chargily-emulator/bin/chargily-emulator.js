#!/usr/bin/env node
// Here before anything is built, so that npm can link it.
import '../dist/cli.js'
