import type { OrderTexts } from '../en/order.ts'
import type { TextTools } from '../tools.ts'

/** The texts of an order, from the upload to the end, in German. */
export const order = ({ counted, plural }: TextTools): OrderTexts => ({
  order: {
    title: (when) => `Auftrag vom ${when}`,
    steps: { upload: 'Hochladen', prepare: 'Vorbereiten', pay: 'Zahlen', write: 'Schreiben', done: 'Fertig' },
    uploading: (count) => `${counted(count, 'Datei wird', 'Dateien werden')} hochgeladen`,
    preparing: (count) => `${counted(count, 'Datei wird', 'Dateien werden')} vorbereitet`,
    writing: (count) =>
      count === 0 ? 'Wird geschrieben' : `${counted(count, 'Transaktion wird', 'Transaktionen werden')} geschrieben`,
    paused: 'Pausiert',
    halted: 'Der Upload ist angehalten',
    uploadLead: (where) =>
      `${where}. Sie können diese Seite verlassen oder den Laptop zuklappen. Es geht dort weiter, wo es war.`,
    writeLead: (where) => `${where}. Sie können diese Seite schließen. Es geht ohne Sie weiter.`,
    prepareAhead: 'Komprimieren, in Transaktionen teilen, Preis festlegen',
    prepareAheadIpfs: 'Jeden Block nach seinen Bytes benennen, Preis festlegen',
    prepared: (items, transactions) =>
      transactions === 0 ? items : `${items}, ${counted(transactions, 'Transaktion', 'Transaktionen')}`,
    itemsOf: (count) => `Die Transaktionen von ${counted(count, 'Datei', 'Dateien')}`,
    payAhead: 'Sie sehen zuerst den genauen Preis',
    writeAhead: 'Sobald die Zahlung tief genug ist',
    doneAhead: (blocks) =>
      blocks === 0
        ? 'In diesem Browser geprüft'
        : `${counted(blocks, 'Block', 'Blöcke')} tief und in diesem Browser geprüft`,
    pause: 'Pausieren',
    goOn: 'Fortsetzen',
    stop: 'Abbrechen und entfernen',
    stopTitle: 'Diesen Auftrag abbrechen und entfernen?',
    ended: 'Der Auftrag ist entfernt.',
    stopText: 'Was hochgeladen wurde, wird vom Server entfernt. Bezahlt wurde nichts.',
    stopDo: (count) => `${counted(count, 'Datei', 'Dateien')} entfernen`,
    bytes: (held, total) => `${held} von ${total} Byte`,
    rate: (rate, left) => `${rate} je Sekunde, noch etwa ${left}`,
    showAll: (count) => `Alle ${counted(count, 'Datei', 'Dateien')} zeigen`,
    showFewer: 'Weniger zeigen',
    failed: (count) => `${counted(count, 'Datei konnte', 'Dateien konnten')} nicht hochgeladen werden`,
    failedKept: 'Die anderen bleiben. Nur diese werden noch einmal gesendet.',
    retryAll: (count) => (count === 1 ? 'Noch einmal versuchen' : `Alle ${count} noch einmal versuchen`),
    outage: (from, until, byte) =>
      `Das Netz war von ${from} bis ${until} weg. Der Upload ging bei Byte ${byte} weiter.`,
    offline: (from) => `Das Netz ist seit ${from} weg. Der Upload geht von selbst weiter.`,
    busy: 'Der Dienst ist ausgelastet. Der Upload geht von selbst weiter.',
    otherTab: 'Ein anderer Tab dieses Browsers lädt diesen Auftrag hoch. Sein Fortschritt ist hier zu sehen.',
    waiting: (count) => `Wartet auf Ihre ${plural(count, 'Datei', 'Dateien')}`,
    waits: (count, held, all) => `Wartet auf Ihre ${plural(count, 'Datei', 'Dateien')}: Wir haben ${held} von ${all}.`,
    lost: (count, names) =>
      `${counted(count, 'Datei muss', 'Dateien müssen')} noch einmal gewählt werden, weil dieser Browser sie nicht von selbst wieder öffnen kann: ${names}.`,
    notOfIt: (chosen, wanted) => `${chosen} ist nicht, was begonnen wurde. Wählen Sie ${wanted}.`,
    mayRead: (count) =>
      `${counted(count, 'Datei kann', 'Dateien können')} wieder gelesen werden, wenn Sie es erlauben.`,
    chooseAgain: (count) => (count === 1 ? 'Datei auswählen' : 'Dateien auswählen'),
    chooseFolderAgain: 'Ordner auswählen',
    allow: 'Erlauben und fortsetzen',
    merging: 'Wird komprimiert und in Transaktionen geteilt. Je größer die Datei, desto länger dauert es.',
    mergingIpfs: 'Jeder Block wird nach seinen Bytes benannt. Je größer die Datei, desto länger dauert es.',
    askForm:
      'Alles ist hochgeladen. Werden die Ordner als Websites gespeichert, oder Datei für Datei? Das wurde auf einem anderen Gerät gewählt.',
    mergingSome: (done, all) => `${done} von ${all} vorbereitet`,
    refusedItems: (count, where) =>
      `${counted(count, 'Datei kann', 'Dateien können')} nicht auf ${where} gespeichert werden`,
    refusedLead: 'Bezahlt wurde nichts. Ihre Auswahl bleibt erhalten.',
    inBlock: (count) => `${count} in einem Block`,
    sent: (count) => `${count} gesendet, ohne Block`,
    toSend: (count) => `${count} noch zu senden`,
    each: (count) => `Jedes Quadrat steht für ${count} Transaktionen.`,
    blocksToGo: (blocks) => `Noch etwa ${counted(blocks, 'Block', 'Blöcke')}`,
    stopped: (name) => `${name} ist angehalten`,
    noProgress:
      'Sechs Blöcke kamen ohne eine Ihrer Transaktionen. Vielleicht ist die Gebühr im Moment zu niedrig. Es geht von selbst weiter.',
    transactionsOf: (name, count) => `${name}, ${counted(count, 'Transaktion', 'Transaktionen')}`,
    openItem: 'Öffnen',
    closing: 'Sie können diese Seite jetzt schließen. Das Schreiben geht ohne Sie weiter.',
    ipfsWriting: 'Wird auf IPFS veröffentlicht.',
    unreadable: 'Diese Datei hat sich geändert oder ist nicht mehr lesbar. Wählen Sie sie noch einmal.',
    uploadGone: 'Dieser Upload wurde auf dem Server entfernt. Speichern Sie die Datei noch einmal von vorn.',
    notFound: 'Diesen Auftrag gibt es nicht mehr. Was bezahlt wurde, ist in der Bibliothek.',
    field: (inBlocks, sent, waiting) => `Transaktionen: ${inBlocks} in Blöcken, ${sent} gesendet, ${waiting} wartend`,
  },
  done: {
    title: (count, chain) =>
      `${counted(count, 'Datei ist', 'Dateien sind')} ${chain === 'IPFS' ? 'auf IPFS' : 'in der Blockchain'}`,
    lead: (chain) =>
      chain === 'IPFS'
        ? 'Benannt nach den Bytes. Alle können sie prüfen.'
        : `Geschrieben auf ${chain}. Niemand kann es ändern oder entfernen.`,
    receipt: 'Beleg',
    library: 'In der Bibliothek öffnen',
    link: 'Link',
    host: 'Eigene Adresse',
    hostNote:
      'Dort ist es eine Seite für sich: Ihre Skripte laufen, und keines davon erreicht diese Konsole oder ein anderes Objekt.',
    byName: 'Nach seinem Namen, für Programme',
    byNameNote: 'Was er benennt, ändert sich nie. Seiten mit Links auf Pfade wie /style.css sind dort nicht ganz.',
    open: 'Öffnen',
    share: 'Teilen',
    code: 'QR-Code',
    codeOf: (link) => `QR-Code: ${link}`,
    embed: 'In eine Seite einbauen',
    embedNote: 'Bei jedem Leser wird es geprüft.',
    verifiedShort: 'Geprüft',
    verifiedAt: (clock) => `In diesem Browser um ${clock} geprüft`,
    how: (chain, bytes) =>
      chain === 'IPFS'
        ? `Dieser Browser hat die Blöcke geholt, aus jedem den Hash berechnet, der sein Name ist, und erst dann ${counted(bytes, 'Byte', 'Byte')} gezeigt.`
        : `Dieser Browser hat die Transaktionen geholt, aus jeder den Hash berechnet, der ihr Name ist, ${counted(bytes, 'Byte', 'Byte')} entpackt und erst dann gezeigt.`,
    mined: {
      buried: (blocks) =>
        `Dieser Browser hat auch geprüft, dass es in einem Block ist: in der Blockchain, die hier fest hinterlegt ist, ${counted(blocks, 'Block', 'Blöcke')} tief.`,
      worked: (blocks) =>
        `Dieser Browser hat auch geprüft, dass es in einem Block ist: ${counted(blocks, 'verketteter Block mit Arbeitsnachweis enthält', 'verkettete Blöcke mit Arbeitsnachweis enthalten')} es. Die hinterlegte Blockchain ist älter.`,
      unproven: () =>
        'Dass es in einem Block ist, sagt dieser Dienst: Es ist neuer als die hier hinterlegte Blockchain, darum kann dieser Browser es noch nicht prüfen.',
    },
    verifying: 'Wird geprüft',
    verifyingOf: (loaded, total) => `Wird geprüft, ${loaded} von ${total}`,
    shownWhen: 'Wird gezeigt, wenn es geprüft ist',
    notVerified: 'Nicht geprüft',
    refused: 'Nicht gezeigt. Die Bytes passen nicht zu ihrem Namen.',
    refusedWhy:
      'Die empfangenen Bytes sind nicht die auf der Blockchain. Sie wurden verworfen. Was Sie gespeichert haben, ist auf der Blockchain sicher.',
    unread: 'Es konnte noch nicht zurückgelesen werden.',
    unshowable: 'Dieser Browser kann es nicht zeigen.',
    unshowableWhy: (mimetype) =>
      `Es wurde mit dem Typ ${mimetype} gespeichert und lässt sich so nicht öffnen. Laden Sie es herunter, um es in einem anderen Programm zu öffnen.`,
    tooLarge: 'Gespeichert. Zum Prüfen in einem Browser ist es zu groß. Dieser Befehl prüft es:',
    again: 'Noch einmal prüfen',
    askAnother: 'Noch einmal fragen',
    others: (count) => (count === 1 ? 'Die andere Datei' : `Die anderen ${counted(count, 'Datei', 'Dateien')}`),
    verifiedOf: (verified, count) => `${verified} von ${count} geprüft`,
    showAll: 'Alle in der Bibliothek zeigen',
    nth: (index, count) => `${index} von ${counted(count, 'Datei', 'Dateien')}`,
    bytesOfName: 'Die Bytes seines Namens',
    longVerified: 'Geprüft: Die Bytes passen zu ihrem Namen',
    longRefused: 'Abgelehnt: Ein Byte passt nicht',
    longUnknown: 'Noch kein Name',
  },
})
