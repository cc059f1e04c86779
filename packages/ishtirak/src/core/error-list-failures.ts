// The end of the list in error-list.ts: what is not the caller's fault. Trying again may help.
import { type ErrorEntry, entry } from './error-entry.js'

export const FAILURES = {
  internal_error: entry(
    500,
    { ar: 'خطأ داخلي', fr: 'Erreur interne', en: 'Internal error' },
    {
      ar: 'حدث خطأ من جهتنا. أعد المحاولة، وإن تكرر فأرسل إلينا request_id.',
      fr: 'Une erreur s’est produite de notre côté. Réessayez ; si elle persiste, communiquez-nous request_id.',
      en: 'Something went wrong on our side. Try again; if it persists, tell us the request_id.',
    },
  ),
  receipts_unavailable: entry(
    501,
    { ar: 'لا تُطبع الوصولات هنا', fr: 'Reçus non imprimés ici', en: 'Receipts not printed here' },
    {
      ar: 'تُرقّم هذه الخدمة الوصولات ولا تطبعها. اطلب نسخة من البائع.',
      fr: 'Ce service numérote les reçus sans les imprimer. Demandez une copie au vendeur.',
      en: 'This service numbers receipts and does not print them. Ask the seller for a copy.',
    },
  ),
  provider_rejected: entry(
    502,
    { ar: 'رفضت خدمة الدفع الطلب', fr: 'Refus du prestataire de paiement', en: 'Payment provider refused' },
    {
      ar: 'رفضت خدمة الدفع طلبنا. لم يُخصم منك شيء؛ اتصل بالدعم.',
      fr: 'Le prestataire de paiement a refusé notre demande. Rien n’a été débité ; contactez l’assistance.',
      en: 'The payment provider refused our request. Nothing was charged; please contact support.',
    },
  ),
  provider_unavailable: entry(
    503,
    {
      ar: 'خدمة الدفع غير متاحة',
      fr: 'Prestataire de paiement indisponible',
      en: 'Payment provider unavailable',
    },
    {
      ar: 'لا تجيب خدمة الدفع الآن. أعد المحاولة بعد قليل، وسنكمل العملية نفسها.',
      fr: 'Le prestataire de paiement ne répond pas. Réessayez dans un instant : la même opération sera reprise.',
      en: 'The payment provider does not answer. Try again in a moment: the same attempt will be continued.',
    },
  ),
  busy: entry(
    503,
    { ar: 'الخدمة مشغولة', fr: 'Service occupé', en: 'Busy' },
    {
      ar: 'ينتظر عدد كبير من الطلبات قبل طلبك. أعد المحاولة بعد قليل.',
      fr: 'Trop de demandes attendent déjà. Réessayez dans un instant.',
      en: 'Too many requests of this kind are waiting already. Try again shortly.',
    },
  ),
  database_unavailable: entry(
    503,
    { ar: 'الخدمة غير متاحة مؤقتًا', fr: 'Service momentanément indisponible', en: 'Service unavailable' },
    {
      ar: 'لا يمكن الوصول إلى بياناتنا الآن. أعد المحاولة بعد قليل.',
      fr: 'Nos données sont momentanément inaccessibles. Réessayez dans un instant.',
      en: 'Our data cannot be reached at the moment. Try again shortly.',
    },
  ),
  took_too_long: entry(
    503,
    { ar: 'استغرقت الإجابة وقتًا طويلًا', fr: 'Réponse trop longue', en: 'The answer took too long' },
    {
      ar: 'لم تكتمل الإجابة في الوقت المحدد، وقد يكتمل ما طُلب. أعد المحاولة بعد قليل.',
      fr: 'La réponse n’est pas venue à temps ; la demande aboutira peut-être. Réessayez dans un instant.',
      en: 'The answer was not ready in time; what was asked for may still be carried out. Try again shortly.',
    },
  ),
  authentication_unavailable: entry(
    503,
    { ar: 'تعذّر التحقق من الدخول', fr: 'Vérification impossible', en: 'Authentication unavailable' },
    {
      ar: 'لا يمكن التحقق من رمز الدخول الآن. أعد المحاولة بعد قليل.',
      fr: 'Le jeton d’accès ne peut pas être vérifié pour le moment. Réessayez dans un instant.',
      en: 'The access token cannot be verified at the moment. Try again shortly.',
    },
  ),
  not_ready: entry(
    503,
    { ar: 'الخدمة غير جاهزة', fr: 'Service pas encore prêt', en: 'Not ready' },
    {
      ar: 'الخدمة تعمل لكنها لا تستطيع استقبال الطلبات بعد.',
      fr: 'Le service est lancé mais ne peut pas encore répondre.',
      en: 'The service is running but cannot take requests yet.',
    },
  ),
} satisfies Record<string, ErrorEntry>
