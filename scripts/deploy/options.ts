import { parseArgs } from 'node:util'

/** What `npm run deploy` and `npm run rollback` are told on the command line. */
export interface DeployOptions {
  env: string
  /** Secrets to upload with the Worker, in the format of .dev.vars.example or as JSON. */
  secretsFile?: string | undefined
  /** Builds the image although one of the same files runs, for new versions of Debian's packages. */
  freshImage: boolean
  /** Tests set it, and CI that has run `npm run check` before. */
  skipChecks: boolean
  rollbackOnFailure: boolean
}

/** The top level of wrangler.toml. */
export const PRODUCTION = 'production'

const env = { type: 'string', short: 'e' } as const

/** `CLOUDFLARE_ENV` is wrangler's own variable, and would otherwise choose for wrangler alone. */
const envOf = (given: string | undefined, { CLOUDFLARE_ENV }: NodeJS.ProcessEnv): string =>
  given || CLOUDFLARE_ENV || PRODUCTION

export const deployOptions = (args: string[], variables: NodeJS.ProcessEnv): DeployOptions => {
  const options = {
    env,
    'secrets-file': { type: 'string' },
    'fresh-image': { type: 'boolean' },
    'skip-checks': { type: 'boolean' },
    'rollback-on-failure': { type: 'boolean' },
  } as const
  const { values } = parseArgs({ args, options })
  return {
    env: envOf(values.env, variables),
    secretsFile: values['secrets-file'],
    freshImage: values['fresh-image'] ?? false,
    skipChecks: values['skip-checks'] ?? false,
    rollbackOnFailure: values['rollback-on-failure'] ?? false,
  }
}

export const rollbackOptions = (args: string[], variables: NodeJS.ProcessEnv) => {
  const { values } = parseArgs({ args, options: { env, to: { type: 'string' } } })
  /** `to`: the id of a version of the Worker, the one before the current one if it is not given. */
  return { env: envOf(values.env, variables), to: values.to }
}

/** The command that goes back to a version. */
export const rollbackCommand = (envName: string, versionId: string): string =>
  ['npm run rollback --', ...(envName === PRODUCTION ? [] : [`--env ${envName}`]), `--to ${versionId}`].join(' ')
