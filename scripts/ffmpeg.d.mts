export const installFfmpeg: (options: {
  python: string
  toolsDir: string
  log?: (line: string) => void
}) => Promise<void>
