// Every refusal that Ishtirak can give, in one list: code, HTTP status, and what it says in three languages.
// Clients switch on the code, so a code is never renamed. The sentences hold no data: data goes into further members.
import { type ErrorEntry, entry } from './error-entry.js'
import { FAILURES } from './error-list-failures.js'

export type { ErrorEntry } from './error-entry.js'

export const ERRORS = {
  malformed_json: entry(
    400,
    { ar: 'محتوى JSON غير سليم', fr: 'JSON mal formé', en: 'Malformed JSON' },
    {
      ar: 'تعذّرت قراءة محتوى الطلب على أنه JSON.',
      fr: 'Le corps de la requête n’est pas du JSON lisible.',
      en: 'The request body could not be read as JSON.',
    },
  ),
  invalid_request: entry(
    400,
    { ar: 'طلب غير مقروء', fr: 'Requête illisible', en: 'Unreadable request' },
    {
      ar: 'يحتوي الطلب على ما لا يمكن قراءته، مثل نص ليس بترميز UTF-8 أو حرف NUL أو عنوان غير سليم.',
      fr: 'La requête contient des éléments illisibles : texte qui n’est pas en UTF-8, caractère NUL ou adresse mal formée.',
      en: 'The request contains something that cannot be read, such as text that is not UTF-8, a NUL character or a malformed address.',
    },
  ),
  unauthenticated: entry(
    401,
    { ar: 'يلزم تسجيل الدخول', fr: 'Authentification requise', en: 'Authentication required' },
    {
      ar: 'رمز الدخول غير موجود أو غير صالح أو انتهت صلاحيته.',
      fr: 'Le jeton d’accès est absent, non valable ou expiré.',
      en: 'The access token is missing, not valid or expired.',
    },
  ),
  invalid_operator_key: entry(
    401,
    { ar: 'يلزم مفتاح مشغّل', fr: 'Clé d’opérateur requise', en: 'Operator key required' },
    {
      ar: 'مفتاح المشغّل غير موجود أو ليس من المفاتيح المعتمدة في OPERATOR_KEYS.',
      fr: 'La clé d’opérateur est absente, ou ne figure pas dans OPERATOR_KEYS.',
      en: 'The operator key is missing, or is not one of those in OPERATOR_KEYS.',
    },
  ),
  invalid_signature: entry(
    401,
    { ar: 'توقيع غير صحيح', fr: 'Signature incorrecte', en: 'Wrong signature' },
    {
      ar: 'التوقيع غير موجود أو لا يطابق محتوى الطلب.',
      fr: 'La signature est absente ou ne correspond pas au corps de la requête.',
      en: 'The signature is missing or does not match the request body.',
    },
  ),
  forbidden: entry(
    403,
    { ar: 'غير مسموح', fr: 'Accès refusé', en: 'Not allowed' },
    {
      ar: 'لا تسمح لك صلاحياتك بهذا الإجراء.',
      fr: 'Vos droits ne permettent pas cette action.',
      en: 'You do not have the right to do this.',
    },
  ),
  not_found: entry(
    404,
    { ar: 'غير موجود', fr: 'Introuvable', en: 'Not found' },
    {
      ar: 'لا يوجد شيء في هذا العنوان.',
      fr: 'Il n’y a rien à cette adresse.',
      en: 'There is nothing at this address.',
    },
  ),
  unknown_limit: entry(
    404,
    { ar: 'حدّ غير معروف', fr: 'Limite inconnue', en: 'Unknown limit' },
    {
      ar: 'لا يوجد حدّ بهذا الاسم في الباقات.',
      fr: 'Les offres ne comportent aucune limite de ce nom.',
      en: 'The plans have no limit of this name.',
    },
  ),
  method_not_allowed: entry(
    405,
    { ar: 'طريقة الطلب غير مقبولة', fr: 'Méthode non acceptée', en: 'Method not allowed' },
    {
      ar: 'لا يقبل هذا العنوان طريقة الطلب هذه؛ الطرق المقبولة مذكورة في الترويسة Allow.',
      fr: 'Cette adresse n’accepte pas cette méthode ; l’en-tête Allow donne celles qu’elle accepte.',
      en: 'This address does not accept this method; the Allow header lists those it accepts.',
    },
  ),
  request_timeout: entry(
    408,
    { ar: 'انتهت مهلة الطلب', fr: 'Requête trop lente', en: 'Request timed out' },
    {
      ar: 'لم يصل الطلب كاملًا في الوقت المحدد.',
      fr: 'La requête n’est pas arrivée en entier à temps.',
      en: 'The request did not arrive in full in time.',
    },
  ),
  conflict: entry(
    409,
    { ar: 'تعارض', fr: 'Conflit', en: 'Conflict' },
    {
      ar: 'تغيّرت الحالة أثناء ذلك. اقرأها من جديد ثم أعد المحاولة.',
      fr: 'L’état a changé entre-temps. Relisez-le, puis réessayez.',
      en: 'The state has changed in the meantime. Read it again, then try once more.',
    },
  ),
  already_subscribed: entry(
    409,
    { ar: 'اشتراكك ما زال ساريًا', fr: 'Abonnement déjà en cours', en: 'Already subscribed' },
    {
      ar: 'اشتراكك في هذه الباقة ما زال ساريًا، ولم يحن وقت تجديده بعد.',
      fr: 'Votre abonnement à cette offre est en cours et ne peut pas encore être renouvelé.',
      en: 'Your subscription to this plan is running and cannot be renewed yet.',
    },
  ),
  payment_not_paid: entry(
    409,
    { ar: 'الدفعة غير مسدَّدة', fr: 'Paiement non réglé', en: 'Payment not paid' },
    {
      ar: 'لم تُسدَّد هذه الدفعة، لذلك لا يوجد لها وصل.',
      fr: 'Ce paiement n’a pas été réglé ; il n’a donc pas de reçu.',
      en: 'This payment has not been paid, so there is no receipt for it.',
    },
  ),
  already_refunded: entry(
    409,
    { ar: 'الدفعة مستردّة من قبل', fr: 'Paiement déjà remboursé', en: 'Already refunded' },
    {
      ar: 'سُجّل استرداد هذه الدفعة من قبل، ولا يُسجَّل مرتين؛ تاريخ التسجيل في refunded_at.',
      fr: 'Le remboursement de ce paiement est déjà enregistré et ne s’enregistre pas deux fois ; refunded_at en donne la date.',
      en: 'The refund of this payment is already recorded and cannot be recorded twice; refunded_at says since when.',
    },
  ),
  payload_too_large: entry(
    413,
    { ar: 'المحتوى كبير جدًا', fr: 'Contenu trop volumineux', en: 'Content too large' },
    {
      ar: 'محتوى الطلب أكبر من الحجم المقبول.',
      fr: 'Le corps de la requête dépasse la taille acceptée.',
      en: 'The request body is larger than what is accepted.',
    },
  ),
  uri_too_long: entry(
    414,
    { ar: 'العنوان طويل جدًا', fr: 'Adresse trop longue', en: 'Address too long' },
    {
      ar: 'عنوان الطلب أطول مما هو مقبول.',
      fr: 'L’adresse de la requête est plus longue que ce qui est accepté.',
      en: 'The address of the request is longer than what is accepted.',
    },
  ),
  unsupported_media_type: entry(
    415,
    { ar: 'نوع المحتوى غير مقبول', fr: 'Type de contenu non accepté', en: 'Unsupported media type' },
    {
      ar: 'أرسل محتوى الطلب بالنوع application/json دون ضغط.',
      fr: 'Envoyez le corps de la requête en application/json, sans compression.',
      en: 'Send the request body as application/json, not compressed.',
    },
  ),
  expectation_failed: entry(
    417,
    { ar: 'ترويسة Expect غير مقبولة', fr: 'Attente non satisfaite', en: 'Expectation failed' },
    {
      ar: 'لا تُقبل في ترويسة Expect إلا القيمة 100-continue.',
      fr: 'L’en-tête Expect ne peut contenir que 100-continue.',
      en: 'The only accepted value of the Expect header is 100-continue.',
    },
  ),
  validation_failed: entry(
    422,
    { ar: 'بيانات غير صحيحة', fr: 'Données incorrectes', en: 'Validation failed' },
    {
      ar: 'بعض الحقول ناقص أو غير صحيح؛ التفاصيل في errors.',
      fr: 'Des champs manquent ou sont incorrects ; voir errors.',
      en: 'Some fields are missing or wrong; see errors.',
    },
  ),
  unknown_plan: entry(
    422,
    { ar: 'باقة غير معروفة', fr: 'Offre inconnue', en: 'Unknown plan' },
    {
      ar: 'لا توجد باقة بهذا المعرّف.',
      fr: 'Aucune offre ne porte cet identifiant.',
      en: 'There is no plan with this id.',
    },
  ),
  plan_not_purchasable: entry(
    422,
    { ar: 'باقة لا تُشترى', fr: 'Offre non vendue', en: 'Plan not purchasable' },
    {
      ar: 'هذه الباقة مجانية، فلا يمكن شراؤها.',
      fr: 'Cette offre est gratuite : elle ne s’achète pas.',
      en: 'This plan is free of charge, so it cannot be bought.',
    },
  ),
  invalid_cursor: entry(
    422,
    { ar: 'مؤشّر صفحة غير صالح', fr: 'Curseur non valable', en: 'Invalid cursor' },
    {
      ar: 'مؤشّر الصفحة غير صالح. استعمل next_cursor كما ورد في الجواب السابق.',
      fr: 'Ce curseur n’est pas valable. Reprenez next_cursor tel que la réponse précédente l’a donné.',
      en: 'The cursor is not valid. Use next_cursor exactly as the previous answer gave it.',
    },
  ),
  rate_limited: entry(
    429,
    { ar: 'طلبات كثيرة', fr: 'Trop de requêtes', en: 'Too many requests' },
    {
      ar: 'أرسلت طلبات كثيرة في وقت قصير. انتظر قليلًا ثم أعد المحاولة.',
      fr: 'Trop de requêtes en peu de temps. Patientez un peu, puis réessayez.',
      en: 'Too many requests in a short time. Wait a little, then try again.',
    },
  ),
  too_many_checkouts: entry(
    429,
    { ar: 'محاولات دفع كثيرة', fr: 'Trop de paiements commencés', en: 'Too many checkouts' },
    {
      ar: 'بدأت عمليات دفع كثيرة خلال ساعة. انتظر ثم أعد المحاولة؛ لم يُخصم منك شيء.',
      fr: 'Trop de paiements ont été commencés en une heure. Patientez, puis réessayez ; rien n’a été débité.',
      en: 'Too many payments were started within an hour. Wait, then try again; nothing was charged.',
    },
  ),
  headers_too_large: entry(
    431,
    { ar: 'ترويسات كبيرة جدًا', fr: 'En-têtes trop volumineux', en: 'Headers too large' },
    {
      ar: 'ترويسات الطلب أكبر من الحجم المقبول.',
      fr: 'Les en-têtes de la requête dépassent la taille acceptée.',
      en: 'The headers of the request are larger than what is accepted.',
    },
  ),
  ...FAILURES,
} satisfies Record<string, ErrorEntry>
