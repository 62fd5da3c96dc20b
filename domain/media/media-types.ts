/** Content types by file extension. The extension comes from the container format that ffprobe detected. */
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

/** WebM is the only format with the same extension for video and audio. */
export const contentTypeOf = (extension: string, hasVideo: boolean): string => {
  if (extension === 'webm' && !hasVideo) return 'audio/webm'
  return (Object.hasOwn(mediaTypes, extension) && mediaTypes[extension]) || 'application/octet-stream'
}

/** `storedType` matters only for WebM, whose extension can mean two types. */
export const typeOfFile = (filename: string, storedType?: string): string =>
  contentTypeOf(/\.([^.]+)$/.exec(filename)?.[1] ?? '', storedType !== 'audio/webm')
