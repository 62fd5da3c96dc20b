import { parseArgs } from 'node:util'

export type ReleaseOptions = ReturnType<typeof readOptions>

/** Where it publishes can be set only for tests. Throws a sentence for an unknown option or a missing token. */
export const readOptions = (args: string[], env: NodeJS.ProcessEnv) => {
  const { values } = parseArgs({ args, options: { 'dry-run': { type: 'boolean' }, images: { type: 'boolean' } } })
  const isDryRun = values['dry-run'] ?? false
  const hasImages = values.images ?? false
  const needed = [...packageTokens, ...(hasImages ? imageSettings : [])]
  const missing = isDryRun ? [] : needed.filter((name) => !env[name])
  if (missing.length > 0)
    throw new Error(`Publishing needs ${missing.join(' and ')} in the environment. \`--dry-run\` needs none of them.`)
  /** Names are appended to it. */
  const folder = (name: string, fallback: string): string => setting(name, fallback).replace(/([^/])$/, '$1/')
  const setting = (name: string, fallback = ''): string => env[name] || fallback
  return {
    isDryRun,
    hasImages,
    npm: { registry: folder('NPM_REGISTRY', 'https://registry.npmjs.org/'), token: setting('NPM_TOKEN') },
    pypi: {
      uploadUrl: setting('PYPI_UPLOAD_URL', 'https://upload.pypi.org/legacy/'),
      indexUrl: folder('PYPI_INDEX_URL', 'https://pypi.org/simple/'),
      token: setting('PYPI_TOKEN'),
    },
    images: {
      registry: setting('IMAGE_REGISTRY', 'localhost'),
      user: setting('IMAGE_USER'),
      token: setting('IMAGE_TOKEN'),
    },
  }
}

const packageTokens = ['NPM_TOKEN', 'PYPI_TOKEN']
const imageSettings = ['IMAGE_REGISTRY', 'IMAGE_USER', 'IMAGE_TOKEN']
