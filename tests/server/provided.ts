declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built server. */
    server: string
  }
}

export {}
