"""Settings of the OpenAI-compatible interface, from ``REACT_MEM_PROXY_*`` environment variables."""

import os
from collections.abc import Mapping

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from ...models.endpoint import OPENAI_URL


class ProxySettings(BaseSettings):
    """Where requests are passed through to, and the limits of the interface."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_PROXY_", frozen=True, extra="ignore")

    url: str = Field(
        default="",
        pattern=r"^$|^https?://",
        description="Base address of the endpoint for models other than `agent/...`, such as http://127.0.0.1:11434/v1. "
        "Default: OPENAI_BASE_URL; if only OPENAI_API_KEY is set, OpenAI's.",
    )
    key: SecretStr = Field(default=SecretStr(""), description="API key of that endpoint. Default: OPENAI_API_KEY.")
    timeout_s: float = Field(default=600.0, gt=0, description="Seconds without a byte after which the endpoint is given up")
    max_body_mb: int = Field(default=32, ge=1, le=512, description="Maximum size of a request body in MB (images are in it)")
    keep_days: int = Field(
        default=30, ge=0, le=3650, description="Days for which answers of the Responses API are kept. 0: none is kept."
    )
    max_kept_mb: int = Field(
        default=1024, ge=1, description="Maximum size of the kept answers in MB. The oldest are deleted first."
    )
    keep_alive_s: float = Field(default=15.0, gt=0, description="Seconds between keep-alive comments in a silent stream")

    def upstream(self, env: Mapping[str, str] = os.environ) -> tuple[str, str]:
        """Address (without a final slash) and key of the endpoint.  ("", ""): none is configured."""
        if self.url:
            return self.url.rstrip("/"), self.key.get_secret_value()
        key = self.key.get_secret_value() or env.get("OPENAI_API_KEY", "")
        address = env.get("OPENAI_BASE_URL", "") or (OPENAI_URL if env.get("OPENAI_API_KEY") else "")
        return address.rstrip("/"), key if address else ""
