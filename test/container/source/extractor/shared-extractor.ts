import { pythonAt } from '../../../../container/config.ts'
import { createExtractor, type WarmExtractor } from '../../../../container/source/extractor/extractor.ts'
import { trackedExtractor } from '../../../../container/source/extractor/versions/extractors.ts'
import type { SharedTools } from '../../../../container/source/routes/until-served.ts'

export const python = pythonAt(process.env.HAUL_PYTHON ?? null)

let extractor: WarmExtractor | undefined

/**
 * One extractor for all test files of this process, because each start of yt-dlp takes more than a second of CPU time. It
 * starts with the first request and ends with this process.
 */
export const sharedExtractor = (): WarmExtractor => {
  extractor ??= createExtractor({ python })
  return extractor
}

/** It as the only version that steps have. */
export const sharedExtractors: SharedTools['extractors'] = {
  session: () => ({ tracked: () => trackedExtractor(sharedExtractor()), close: () => {} }),
}
