import { type AttemptNames, SECRET_LENGTH } from '../../domain/media/media-keys.ts'
import { signOnce } from '../../domain/secrets/signed-text.ts'
import { signingKey } from '../env.ts'

/**
 * The secret follows from the id, so a media link is served without a lookup and does not contain it. The account keeps
 * the secret of what it stores, so it can delete that even after HAUL_SECRET was changed.
 */
export const objectSecret = async (env: Env, id: string): Promise<string> =>
  (await signOnce(await signingKey(env, 'object-keys'), id)).slice(0, SECRET_LENGTH)

export const namesOf = async (
  env: Env,
  { jobId, attempt }: { jobId: string; attempt: number },
): Promise<AttemptNames> => ({ attempt, secret: await objectSecret(env, jobId) })
