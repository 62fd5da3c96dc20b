/** The part of wrangler.toml that a deployment needs. */
export interface DeploymentConfig {
  vars: Record<string, unknown>
  secrets?: { required?: string[] | undefined } | undefined
  queues: {
    producers?: { queue: string }[] | undefined
    consumers?: { queue: string; dead_letter_queue?: string | undefined }[] | undefined
  }
  r2_buckets: { bucket_name?: string | undefined }[]
  d1_databases: { database_name?: string | undefined; database_id?: string | undefined }[]
}

/** Empty in wrangler.toml, because every operator has other values. */
export const operatorVars = ['PUBLIC_URL', 'MEDIA_S3_ENDPOINT'] as const

export interface OperatorSettings {
  env: NodeJS.ProcessEnv
  /** Names of the Worker's secrets; null if they are unknown or part of this deployment. */
  secrets: string[] | null
}

/** A sentence for each setting that is missing. */
export const missingFor = ({ vars, secrets, d1_databases }: DeploymentConfig, given: OperatorSettings): string[] => [
  ...d1_databases
    .filter(({ database_id }) => !database_id || /^[0-]+$/.test(database_id))
    .map(({ database_name }) => {
      return `The database has no id: run \`npx wrangler d1 create ${database_name}\` and copy its id to wrangler.toml.`
    }),
  ...operatorVars
    .filter((name) => !vars[name] && !given.env[name])
    .map((name) => `${name} is not set: set it under [vars] in wrangler.toml or in the environment.`),
  ...(secrets?.required ?? [])
    .filter((name) => given.secrets && !given.secrets.includes(name))
    .map((name) => `The secret ${name} is not set: run \`npx wrangler secret put ${name}\`.`),
]
