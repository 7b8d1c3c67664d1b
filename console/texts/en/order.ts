import type { TextTools } from '../tools.ts'

/** The texts of an order, from the upload to the end, in English. */
export const order = ({ counted }: TextTools) => ({
  order: {
    title: (when: string) => `Order of ${when}`,
    steps: { upload: 'Upload', prepare: 'Prepare', pay: 'Pay', write: 'Write', done: 'Done' },
    uploading: (count: number) => `Uploading ${counted(count, 'file')}`,
    preparing: (count: number) => `Preparing ${counted(count, 'file')}`,
    writing: (count: number) => (count === 0 ? 'Writing' : `Writing ${counted(count, 'transaction')}`),
    paused: 'Paused',
    halted: 'The upload has stopped',
    uploadLead: (where: string) => `${where}. You can leave this page or close the laptop. It goes on where it was.`,
    writeLead: (where: string) => `${where}. You can close this page. It goes on without you.`,
    prepareAhead: 'Compress, cut into transactions, fix the price',
    prepareAheadIpfs: 'Name each block by its bytes, fix the price',
    prepared: (items: string, transactions: number) =>
      transactions === 0 ? items : `${items}, ${counted(transactions, 'transaction')}`,
    itemsOf: (count: number) => `The transactions of ${counted(count, 'file')}`,
    payAhead: 'You see the exact price first',
    writeAhead: 'Once the payment is deep enough',
    doneAhead: (blocks: number) =>
      blocks === 0 ? 'Verified in this browser' : `${counted(blocks, 'block')} deep, and verified in this browser`,
    pause: 'Pause',
    goOn: 'Go on',
    stop: 'Stop and remove',
    stopTitle: 'Stop and remove this order?',
    ended: 'The order is removed.',
    stopText: 'What was uploaded is removed from the server. Nothing was paid.',
    stopDo: (count: number) => `Remove ${counted(count, 'file')}`,
    bytes: (held: string, total: string) => `${held} of ${total} ${total === '1' ? 'byte' : 'bytes'}`,
    rate: (rate: string, left: string) => `${rate} a second, about ${left} left`,
    showAll: (count: number) => `Show all ${counted(count, 'file')}`,
    showFewer: 'Show fewer',
    failed: (count: number) => `${counted(count, 'file')} could not be uploaded`,
    failedKept: 'The others are kept. Only these are sent again.',
    retryAll: (count: number) => `Try ${count === 1 ? 'it' : `all ${count}`} again`,
    outage: (from: string, until: string, byte: string) =>
      `The network was gone from ${from} to ${until}. The upload went on at byte ${byte}.`,
    offline: (from: string) => `The network is gone since ${from}. The upload goes on by itself.`,
    busy: 'The service is busy. The upload goes on by itself.',
    otherTab: 'Another tab of this browser uploads this order. Its progress shows here.',
    waiting: (count: number) => `Waiting for your ${count === 1 ? 'file' : 'files'}`,
    waits: (count: number, held: string, all: string) =>
      `Waiting for your ${count === 1 ? 'file' : 'files'}: we hold ${held} of ${all}.`,
    lost: (count: number, names: string) =>
      `${counted(count, 'file')} must be chosen again, since this browser cannot reopen files by itself: ${names}.`,
    notOfIt: (chosen: string, wanted: string) => `${chosen} is not what was begun. Choose ${wanted}.`,
    mayRead: (count: number) => `${counted(count, 'file')} can be read again once you allow it.`,
    chooseAgain: (count: number): string => (count === 1 ? 'Choose the file' : 'Choose the files'),
    chooseFolderAgain: 'Choose the folder',
    allow: 'Allow and go on',
    merging: 'Compressing and cutting into transactions. The larger the file, the longer.',
    mergingIpfs: 'Naming each block by its bytes. The larger the file, the longer.',
    askForm:
      'Everything is uploaded. Are the folders stored as websites, or file by file? That was chosen on another device.',
    mergingSome: (done: string, all: string) => `${done} of ${all} prepared`,
    refusedItems: (count: number, where: string) => `${counted(count, 'file')} cannot be stored on ${where}`,
    refusedLead: 'Nothing was paid. What you chose is kept.',
    inBlock: (count: string) => `${count} in a block`,
    sent: (count: string) => `${count} sent, waiting for a block`,
    toSend: (count: string) => `${count} to be sent`,
    each: (count: string) => `Each square is ${count} transactions.`,
    blocksToGo: (blocks: number) => `About ${counted(blocks, 'block')} to go`,
    stopped: (name: string) => `${name} stopped`,
    noProgress:
      'Six blocks came without a transaction of yours in them. The fee may be too low at the moment. It goes on by itself.',
    transactionsOf: (name: string, count: number) => `${name}, ${counted(count, 'transaction')}`,
    openItem: 'Open it',
    closing: 'You may close this page now. Writing goes on without you.',
    ipfsWriting: 'Publishing on IPFS.',
    unreadable: 'This file has changed, or cannot be read any more. Choose it again.',
    uploadGone: 'This upload was removed at the server. Store the file again from its beginning.',
    notFound: 'There is no such order any more. What was paid for is in the library.',
    field: (inBlocks: string, sent: string, waiting: string) =>
      `Transactions: ${inBlocks} in blocks, ${sent} sent, ${waiting} waiting`,
  },
  done: {
    title: (count: number, chain: string) =>
      chain === 'IPFS'
        ? `${counted(count, 'file')} ${count === 1 ? 'is' : 'are'} on IPFS`
        : `${counted(count, 'file')} ${count === 1 ? 'is' : 'are'} in the chain`,
    lead: (chain: string) =>
      chain === 'IPFS'
        ? 'Named by its bytes. Anybody can check them.'
        : `Written on ${chain}. Nobody can change or remove it.`,
    receipt: 'Receipt',
    library: 'Open in library',
    link: 'Link',
    host: 'Address of its own',
    hostNote: 'There it is a page by itself: its scripts run, and none of them reaches this console or another item.',
    byName: 'By its name, for programs',
    byNameNote: 'What it names never changes. Pages that link to paths such as /style.css are broken there.',
    open: 'Open',
    share: 'Share',
    code: 'QR code',
    codeOf: (link: string) => `QR code: ${link}`,
    embed: 'Put it in a page',
    embedNote: 'It verifies for each reader.',
    verifiedShort: 'Verified',
    verifiedAt: (clock: string) => `Verified in this browser at ${clock}`,
    how: (chain: string, bytes: number) =>
      chain === 'IPFS'
        ? `This browser fetched the blocks, hashed each to its name, and only then showed ${counted(bytes, 'byte')}.`
        : `This browser fetched the transactions, hashed each to its name, unpacked ${counted(bytes, 'byte')}, and only then showed them.`,
    mined: {
      buried: (blocks: number) =>
        `This browser has also checked that it is mined: in the chain that is pinned here, ${counted(blocks, 'block')} deep.`,
      worked: (blocks: number) =>
        `This browser has also checked that it is mined: ${counted(blocks, 'linked block')} with work have it. The pinned chain is older.`,
      unproven: () =>
        'That it is mined is what this service says: it is newer than the chain that is pinned here, so this browser cannot check it yet.',
    },
    verifying: 'Verifying',
    verifyingOf: (loaded: string, total: string) => `Verifying, ${loaded} of ${total}`,
    shownWhen: 'Shown when it is verified',
    notVerified: 'Not verified',
    refused: 'Not shown. The bytes do not match their name.',
    refusedWhy:
      'The bytes received are not those on the chain. They were discarded. What you stored is safe on the chain.',
    unread: 'It could not be read back yet.',
    unshowable: 'This browser cannot show it.',
    unshowableWhy: (mimetype: string) =>
      `It was stored with the type ${mimetype}, and does not open as that. Download it to open it in another program.`,
    tooLarge: 'Stored. This is too large to verify in a browser. This command verifies it:',
    again: 'Verify again',
    askAnother: 'Ask again',
    others: (count: number) => `The other ${count === 1 ? 'file' : counted(count, 'file')}`,
    verifiedOf: (verified: string, count: string) => `${verified} of ${count} verified`,
    showAll: 'Show all in the library',
    nth: (index: number, count: number) => `${index} of ${counted(count, 'file')}`,
    bytesOfName: 'The bytes of its name',
    longVerified: 'Verified: the bytes match their name',
    longRefused: 'Refused: a byte does not match',
    longUnknown: 'No name yet',
  },
})

export type OrderTexts = ReturnType<typeof order>
