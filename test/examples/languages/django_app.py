# A platform in Django, on PORT, with the views of clients/python/README.md.
import os
import sys
from importlib import import_module
from types import ModuleType, SimpleNamespace
from wsgiref.simple_server import make_server

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEBUG_PROPAGATE_EXCEPTIONS=False,
    INSTALLED_APPS=[],
    MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware", "__main__.sign_in"],
    ROOT_URLCONF="__main__",
    SECRET_KEY="of the tests",
    ISHTIRAK_URL=os.environ["ISHTIRAK_URL"],
    ISHTIRAK_API_KEY=os.environ["ISHTIRAK_API_KEY"],
    ISHTIRAK_EVENTS_SECRETS=os.environ["ISHTIRAK_EVENTS_SECRETS"].split(","),
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.urls import path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402


class BillingEvent(models.Model):
    id = models.CharField(max_length=64, primary_key=True)
    event = models.JSONField()

    class Meta:
        app_label = "platform"


def sign_in(get_response):
    def middleware(request):
        request.user = SimpleNamespace(pk=request.headers.get("x-user"))
        return get_response(request)

    return middleware


def start_deploy(deploy_id):
    return HttpResponse(f"started {deploy_id}")


def load_views():
    """`views.py`, as a module of an application that has these models and deploys."""
    names = ["platform_app", "platform_app.models", "platform_app.deploys"]
    package, its_models, deploys = map(ModuleType, names)
    package.__path__ = [os.path.dirname(__file__)]
    its_models.BillingEvent, deploys.start_deploy = BillingEvent, start_deploy
    sys.modules.update(zip(names, [package, its_models, deploys]))
    return import_module("platform_app.views")


views = load_views()


def stored(request):
    return JsonResponse(list(BillingEvent.objects.values_list("event__type", flat=True)), safe=False)


urlpatterns = [
    path("deploys/<deploy_id>", csrf_exempt(views.deploy)),
    path("portal", views.portal),
    path("upgrade", csrf_exempt(views.upgrade)),
    path("billing/events", views.billing_events),
    path("stored", stored),
]

with connection.schema_editor() as editor:
    editor.create_model(BillingEvent)
make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application()).serve_forever()
