import { delimiter, join } from 'node:path'
import { pick } from '../../self-host/settings.ts'
import { root } from '../setup/paths.mjs'

export { root, venvPython } from '../setup/paths.mjs'

/** Node keeps compiled code in this folder, so programs that have run before start faster. */
export const compileCache = { NODE_COMPILE_CACHE: join(root, '.tools/compile-cache') }

/** The variables that every child needs. Others, such as an operator's tokens, are not passed on. */
export const basicEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...pick(env, ['HOME', 'TMPDIR', 'LANG', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']),
  ...compileCache,
  PATH: [join(root, 'node_modules/.bin'), env.PATH ?? '/usr/bin:/bin'].join(delimiter),
})
