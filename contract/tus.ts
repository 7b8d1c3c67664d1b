/** The version of tus that is spoken here (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0'

/** The extensions of tus that are offered. */
export const TUS_EXTENSIONS = ['creation', 'creation-with-upload', 'termination', 'expiration'] as const
