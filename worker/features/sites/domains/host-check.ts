/** Where every host of content returns which item or site it shows, so that a check of a domain knows who answers. */
export const HOST_CHECK_PATH = '/.well-known/hookline-host'
