import { existsSync } from 'node:fs'

/** HAUL_CHROMIUM, or the one that scripts/setup/system.mjs has installed. */
export const chromiumPath = (): string => process.env.HAUL_CHROMIUM || (installed.find(existsSync) ?? 'chromium')

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
