import type { OrderTexts } from '../en/order.ts'
import type { TextTools } from '../tools.ts'

/** The texts of an order, from the upload to the end, in Spanish. */
export const order = ({ counted, plural }: TextTools): OrderTexts => ({
  order: {
    title: (when) => `Pedido del ${when}`,
    steps: { upload: 'Subir', prepare: 'Preparar', pay: 'Pagar', write: 'Escribir', done: 'Listo' },
    uploading: (count) => `Subiendo ${counted(count, 'archivo', 'archivos')}`,
    preparing: (count) => `Preparando ${counted(count, 'archivo', 'archivos')}`,
    writing: (count) => (count === 0 ? 'Escribiendo' : `Escribiendo ${counted(count, 'transacción', 'transacciones')}`),
    paused: 'En pausa',
    halted: 'La subida se ha detenido',
    uploadLead: (where) => `${where}. Puede salir de esta página o cerrar el portátil. Continúa donde estaba.`,
    writeLead: (where) => `${where}. Puede cerrar esta página. Continúa sin usted.`,
    prepareAhead: 'Comprimir, dividir en transacciones, fijar el precio',
    prepareAheadIpfs: 'Nombrar cada bloque por sus bytes, fijar el precio',
    prepared: (items, transactions) =>
      transactions === 0 ? items : `${items}, ${counted(transactions, 'transacción', 'transacciones')}`,
    itemsOf: (count) => `Las transacciones de ${counted(count, 'archivo', 'archivos')}`,
    payAhead: 'Antes ve el precio exacto',
    writeAhead: 'Cuando el pago tenga profundidad suficiente',
    doneAhead: (blocks) =>
      blocks === 0
        ? 'Verificado en este navegador'
        : `Con ${counted(blocks, 'bloque', 'bloques')} de profundidad, y verificado en este navegador`,
    pause: 'Pausar',
    goOn: 'Continuar',
    stop: 'Detener y eliminar',
    stopTitle: '¿Detener y eliminar este pedido?',
    ended: 'El pedido se ha eliminado.',
    stopText: 'Lo que se ha subido se elimina del servidor. No se ha pagado nada.',
    stopDo: (count) => `Eliminar ${counted(count, 'archivo', 'archivos')}`,
    bytes: (held, total) => `${held} de ${total} ${total === '1' ? 'byte' : 'bytes'}`,
    rate: (rate, left) => `${rate} por segundo, quedan unos ${left}`,
    showAll: (count) => `Mostrar ${plural(count, 'el archivo', `los ${counted(count, 'archivo', 'archivos')}`)}`,
    showFewer: 'Mostrar menos',
    failed: (count) => counted(count, 'archivo no se ha podido subir', 'archivos no se han podido subir'),
    failedKept: 'Los demás se conservan. Solo estos se envían otra vez.',
    retryAll: (count) => (count === 1 ? 'Intentarlo de nuevo' : `Intentar de nuevo con los ${count}`),
    outage: (from, until, byte) =>
      `No hubo red desde las ${from} hasta las ${until}. La subida continuó en el byte ${byte}.`,
    offline: (from) => `No hay red desde las ${from}. La subida continúa sola.`,
    busy: 'El servicio está ocupado. La subida continúa sola.',
    otherTab: 'Otra pestaña de este navegador sube este pedido. Su progreso se ve aquí.',
    waiting: (count) => `Espera ${plural(count, 'su archivo', 'sus archivos')}`,
    waits: (count, held, all) => `Espera ${plural(count, 'su archivo', 'sus archivos')}: tenemos ${held} de ${all}.`,
    lost: (count, names) =>
      `Hay que elegir otra vez ${counted(count, 'archivo', 'archivos')}, porque este navegador no puede volver a abrirlos por sí solo: ${names}.`,
    notOfIt: (chosen, wanted) => `${chosen} no es lo que se empezó. Elija ${wanted}.`,
    mayRead: (count) =>
      `${counted(count, 'archivo se puede leer', 'archivos se pueden leer')} otra vez cuando usted lo permita.`,
    chooseAgain: (count) => (count === 1 ? 'Elegir el archivo' : 'Elegir los archivos'),
    chooseFolderAgain: 'Elegir la carpeta',
    allow: 'Permitir y continuar',
    merging: 'Comprimiendo y dividiendo en transacciones. Cuanto más grande es el archivo, más tarda.',
    mergingIpfs: 'Nombrando cada bloque por sus bytes. Cuanto más grande es el archivo, más tarda.',
    askForm:
      'Todo está subido. ¿Se guardan las carpetas como sitios web, o archivo por archivo? Eso se eligió en otro dispositivo.',
    mergingSome: (done, all) => `${done} de ${all} preparados`,
    refusedItems: (count, where) =>
      `${counted(count, 'archivo no se puede', 'archivos no se pueden')} guardar en ${where}`,
    refusedLead: 'No se ha pagado nada. Lo que ha elegido se conserva.',
    inBlock: (count) => `${count} en un bloque`,
    sent: (count) => `${count} enviadas, a la espera de un bloque`,
    toSend: (count) => `${count} por enviar`,
    each: (count) => `Cada cuadrado son ${count} transacciones.`,
    blocksToGo: (blocks) => `Faltan unos ${counted(blocks, 'bloque', 'bloques')}`,
    stopped: (name) => `${name} se ha detenido`,
    noProgress:
      'Han llegado seis bloques sin ninguna transacción suya. Puede que la comisión sea demasiado baja en este momento. Continúa solo.',
    transactionsOf: (name, count) => `${name}, ${counted(count, 'transacción', 'transacciones')}`,
    openItem: 'Abrirlo',
    closing: 'Ya puede cerrar esta página. La escritura continúa sin usted.',
    ipfsWriting: 'Publicando en IPFS.',
    unreadable: 'Este archivo ha cambiado, o ya no se puede leer. Elíjalo otra vez.',
    uploadGone: 'Esta subida se ha eliminado en el servidor. Guarde el archivo otra vez desde el principio.',
    notFound: 'Este pedido ya no existe. Lo que se pagó está en la biblioteca.',
    field: (inBlocks, sent, waiting) => `Transacciones: ${inBlocks} en bloques, ${sent} enviadas, ${waiting} en espera`,
  },
  done: {
    title: (count, chain) =>
      `${counted(count, 'archivo está', 'archivos están')} en ${chain === 'IPFS' ? 'IPFS' : 'la cadena'}`,
    lead: (chain) =>
      chain === 'IPFS'
        ? 'Nombrado por sus bytes. Todos pueden comprobarlos.'
        : `Escrito en ${chain}. Nadie puede cambiarlo ni eliminarlo.`,
    receipt: 'Recibo',
    library: 'Abrir en la biblioteca',
    link: 'Enlace',
    host: 'Dirección propia',
    hostNote:
      'Allí es una página independiente: sus scripts funcionan, y ninguno llega a esta consola ni a otro objeto.',
    byName: 'Por su nombre, para programas',
    byNameNote: 'Lo que nombra no cambia nunca. Las páginas que enlazan a rutas como /style.css no funcionan allí.',
    open: 'Abrir',
    share: 'Compartir',
    code: 'Código QR',
    codeOf: (link) => `Código QR: ${link}`,
    embed: 'Ponerlo en una página',
    embedNote: 'Se verifica para cada lector.',
    verifiedShort: 'Verificado',
    verifiedAt: (clock) => `Verificado en este navegador a las ${clock}`,
    how: (chain, bytes) =>
      chain === 'IPFS'
        ? `Este navegador ha obtenido los bloques, ha calculado de cada uno el hash, que es su nombre, y solo entonces ha mostrado ${counted(bytes, 'byte', 'bytes')}.`
        : `Este navegador ha obtenido las transacciones, ha calculado de cada una el hash, que es su nombre, ha descomprimido ${counted(bytes, 'byte', 'bytes')} y solo entonces los ha mostrado.`,
    mined: {
      buried: (blocks) =>
        `Este navegador ha comprobado también que está minado: en la cadena que está fijada aquí, con ${counted(blocks, 'bloque', 'bloques')} de profundidad.`,
      worked: (blocks) =>
        `Este navegador ha comprobado también que está minado: ${counted(blocks, 'bloque enlazado con prueba de trabajo lo contiene', 'bloques enlazados con prueba de trabajo lo contienen')}. La cadena fijada es anterior.`,
      unproven: () =>
        'Que está minado es lo que dice este servicio: es más nuevo que la cadena fijada aquí, así que este navegador todavía no puede comprobarlo.',
    },
    verifying: 'Verificando',
    verifyingOf: (loaded, total) => `Verificando, ${loaded} de ${total}`,
    shownWhen: 'Se muestra cuando está verificado',
    notVerified: 'No verificado',
    refused: 'No se muestra. Los bytes no corresponden a su nombre.',
    refusedWhy:
      'Los bytes recibidos no son los de la cadena. Se han descartado. Lo que guardó está a salvo en la cadena.',
    unread: 'Todavía no se ha podido volver a leer.',
    unshowable: 'Este navegador no puede mostrarlo.',
    unshowableWhy: (mimetype) =>
      `Se guardó con el tipo ${mimetype}, y no se abre como tal. Descárguelo para abrirlo en otro programa.`,
    tooLarge: 'Guardado. Es demasiado grande para verificarlo en un navegador. Este comando lo verifica:',
    again: 'Verificar otra vez',
    askAnother: 'Preguntar otra vez',
    others: (count) => (count === 1 ? 'El otro archivo' : `Los otros ${counted(count, 'archivo', 'archivos')}`),
    verifiedOf: (verified, count) => `${verified} de ${count} verificados`,
    showAll: 'Mostrar todos en la biblioteca',
    nth: (index, count) => `${index} de ${counted(count, 'archivo', 'archivos')}`,
    bytesOfName: 'Los bytes de su nombre',
    longVerified: 'Verificado: los bytes corresponden a su nombre',
    longRefused: 'Rechazado: un byte no corresponde',
    longUnknown: 'Todavía sin nombre',
  },
})
