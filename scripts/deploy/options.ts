import { parseArgs } from 'node:util'

/** The top level of wrangler.toml. */
export const PRODUCTION = 'production'

const env = { type: 'string', short: 'e' } as const

/** `CLOUDFLARE_ENV` is wrangler's own variable, and would otherwise choose for wrangler alone. */
const envOf = (given: string | undefined, { CLOUDFLARE_ENV }: NodeJS.ProcessEnv): string =>
  given || CLOUDFLARE_ENV || PRODUCTION

export const deployOptions = (args: string[], variables: NodeJS.ProcessEnv) => {
  const options = {
    env,
    'secrets-file': { type: 'string' },
    'fresh-image': { type: 'boolean' },
    'skip-checks': { type: 'boolean' },
    'rollback-on-failure': { type: 'boolean' },
    canary: { type: 'string' },
  } as const
  const { values } = parseArgs({ args, options })
  const { canary = 'small' } = values
  if (canary !== 'small' && canary !== 'full') throw new Error(`--canary is "${canary}", not small or full.`)
  return {
    env: envOf(values.env, variables),
    /** Secrets to upload with the Worker, in the format of .dev.vars.example or as JSON. */
    secretsFile: values['secrets-file'],
    /** Builds the image although one of the same files runs, for new versions of Debian's packages. */
    freshImage: values['fresh-image'] ?? false,
    /** Tests use it, and CI that has run `npm run check` before. */
    skipChecks: values['skip-checks'] ?? false,
    rollbackOnFailure: values['rollback-on-failure'] ?? false,
    largeBytes: canary === 'full' ? largeBytesOf(variables) : null,
  }
}

const LARGE_BYTES = 10_000_000_000

const largeBytesOf = ({ CANARY_LARGE_BYTES }: NodeJS.ProcessEnv): number => {
  const largeBytes = Number(CANARY_LARGE_BYTES || LARGE_BYTES)
  if (Number.isInteger(largeBytes) && largeBytes >= 1_000 && largeBytes <= LARGE_BYTES) return largeBytes
  throw new Error(`CANARY_LARGE_BYTES is "${CANARY_LARGE_BYTES}", not a number of bytes from 1000 to ${LARGE_BYTES}.`)
}

export type DeployOptions = ReturnType<typeof deployOptions>

export const rollbackOptions = (args: string[], variables: NodeJS.ProcessEnv) => {
  const { values } = parseArgs({ args, options: { env, to: { type: 'string' } } })
  /** `to`: the id of a version of the Worker, the one before the current one if it is not given. */
  return { env: envOf(values.env, variables), to: values.to }
}

export const rollbackCommand = (envName: string, versionId: string): string =>
  ['npm run rollback --', ...(envName === PRODUCTION ? [] : [`--env ${envName}`]), `--to ${versionId}`].join(' ')
