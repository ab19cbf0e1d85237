"""Turns and questions of a file, in the form that each product gets."""

from collections.abc import Sequence
from typing import Any

from bench.transcripts import AskedTranscript


def workload(transcripts: Sequence[AskedTranscript]) -> list[dict[str, Any]]:
    """Turns that contain a word, by session, and the questions with evidence.  Category 5 of LoCoMo is left out."""
    return [
        {
            "id": transcript.id,
            "sessions": {
                session: [
                    {
                        "id": turn.id,
                        "speaker": turn.speaker,
                        "role": turn.role,
                        "text": turn.text,
                        "said_at": turn.said_at,
                    }
                    for turn in turns
                    if turn.text.strip()
                ]
                for session, turns in transcript.sessions.items()
            },
            "questions": [
                {
                    "number": number,
                    "text": asked.text,
                    "asked_at": asked.asked_at,
                    "category": asked.category,
                    "evidence": list(asked.evidence),
                }
                for number, asked in enumerate(transcript.questions)
                if asked.evidence and asked.category != "5"
            ],
        }
        for transcript in transcripts
    ]
