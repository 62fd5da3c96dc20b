import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChildOptions } from './child.ts'

const tools = fileURLToPath(new URL('../../../.tools', import.meta.url))

/** STT_MODEL_DIR may name any CTranslate2 Whisper folder with a manifest (`node scripts/speech.mjs manifest <folder>`). */
export const speechSettings = (env: NodeJS.ProcessEnv = process.env): ChildOptions => ({
  python: env.HAUL_PYTHON ?? join(tools, 'venv', 'bin', 'python'),
  modelDir: env.STT_MODEL_DIR ?? join(tools, 'models', 'whisper-base'),
  threads: Number(env.STT_THREADS) || availableParallelism(),
})
