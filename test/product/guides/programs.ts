import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Programs } from './run.ts'

export const programs = async (folder: string): Promise<Programs> => {
  const nodeModules = join(folder, 'node_modules')
  await mkdir(nodeModules)
  return { nodeModules, python: 'python3' }
}
