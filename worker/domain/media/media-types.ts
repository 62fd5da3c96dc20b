/** What a file is called in HTTP, by the extension that its probe settled on. */
const mediaTypes: Record<string, string> = {
  mp4: 'video/mp4',
  m4a: 'audio/mp4',
  mov: 'video/quicktime',
  '3gp': 'video/3gpp',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  mka: 'audio/x-matroska',
  ts: 'video/mp2t',
  avi: 'video/x-msvideo',
  flv: 'video/x-flv',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
  ogv: 'video/ogg',
  flac: 'audio/flac',
  wav: 'audio/wav',
  jpg: 'image/jpeg',
}

/** WebM has one extension for both; everybody else says by it whether there is a picture. */
export const contentTypeOf = (extension: string, hasVideo: boolean): string =>
  extension === 'webm' && !hasVideo ? 'audio/webm' : typeOfExtension(extension)

/** A file with that name. Only where the name may mean two types, storage's word decides between them. */
export const typeOfFile = (filename: string, stored?: string): string =>
  contentTypeOf(/\.([^.]+)$/.exec(filename)?.[1] ?? '', stored !== 'audio/webm')

const typeOfExtension = (extension: string): string =>
  (Object.hasOwn(mediaTypes, extension) && mediaTypes[extension]) || 'application/octet-stream'
