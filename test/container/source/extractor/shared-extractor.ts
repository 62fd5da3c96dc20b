import { join } from 'node:path'
import { createExtractor, type WarmExtractor } from '../../../../container/source/extractor/extractor.ts'

export const python = process.env.HAUL_PYTHON ?? join(import.meta.dirname, '../../../../.tools/venv/bin/python')

let extractor: WarmExtractor | undefined

/**
 * The extractor of all files that run in this process: each start of yt-dlp takes more than a second of a core. It starts
 * with the first request, and ends with this process.
 */
export const sharedExtractor = (): WarmExtractor => {
  extractor ??= createExtractor({ python })
  return extractor
}
