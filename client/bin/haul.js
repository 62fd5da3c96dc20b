#!/usr/bin/env node
// Committed, unlike dist/: npm links the command of a workspace only if its file exists.
import '../dist/cli/main.js'
