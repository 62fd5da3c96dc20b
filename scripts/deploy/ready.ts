/** What stands in wrangler.toml, as far as a deployment asks for it. */
export interface Deployment {
  vars: Record<string, unknown>
  secrets?: { required?: string[] | undefined } | undefined
  queues: {
    producers?: { queue: string }[] | undefined
    consumers?: { queue: string; dead_letter_queue?: string | undefined }[] | undefined
  }
  r2_buckets: { bucket_name?: string | undefined }[]
  d1_databases: { database_name?: string | undefined; database_id?: string | undefined }[]
}

/** Empty in wrangler.toml, since every operator has others. */
export const operatorVars = ['PUBLIC_URL', 'MEDIA_S3_ENDPOINT'] as const

export interface Found {
  env: NodeJS.ProcessEnv
  /** Names of the secrets that the Worker has; null when nobody knows or they come with this deployment. */
  secrets: string[] | null
}

/** What an operator must do before a deployment can work, in sentences. */
export const missingFor = ({ vars, secrets, d1_databases }: Deployment, found: Found): string[] => [
  ...d1_databases
    .filter(({ database_id }) => !database_id || /^[0-]+$/.test(database_id))
    .map(({ database_name }) => {
      return `The database has no id: run \`npx wrangler d1 create ${database_name}\` and put its id into wrangler.toml.`
    }),
  ...operatorVars
    .filter((name) => !vars[name] && !found.env[name])
    .map((name) => `${name} is not set: put it under [vars] in wrangler.toml or into the environment.`),
  ...(secrets?.required ?? [])
    .filter((name) => found.secrets && !found.secrets.includes(name))
    .map((name) => `The secret ${name} is not set: run \`npx wrangler secret put ${name}\`.`),
]
