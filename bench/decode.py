"""The floor of a video: decode it, and scale the frames that the analysis looks at; nothing else."""

from __future__ import annotations

import sys

import av

from mediaan.media.video.decoder import UnreferencedFrames

LONG_SIDE_PX = 1024
"""As the analysis asks for."""


def decode(path: str, fps: float, *, skip: bool) -> int:
    """Decode every frame, and scale one at each of the instants 0, 1/fps ...; give how many were scaled.

    With `skip`, frames that no other refers to are discarded between those instants, as the analysis does: by FFmpeg,
    and those of AV1, which FFmpeg cannot, by taking them out of the packets.
    """
    scaled, unreferenced = 0, UnreferencedFrames()
    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        scale = LONG_SIDE_PX / max(stream.width, stream.height)
        size = round(stream.width * scale), round(stream.height * scale)
        for packet in container.demux(stream):
            if skip and packet.pts is not None and packet.time_base is not None:
                start, length = float(packet.pts * packet.time_base), float((packet.duration or 0) * packet.time_base)
                looked_at = int((start + length) * fps - 1e-6) > int(start * fps - 1e-6) or start == 0
                stream.codec_context.skip_frame = "DEFAULT" if looked_at else "NONREF"
                if stream.codec_context.codec.canonical_name == "av1":
                    left = unreferenced.strip(bytes(packet))
                    if not looked_at and not left:
                        continue
                    if not looked_at and len(left) < packet.size:
                        shorter = av.Packet(left)
                        shorter.pts, shorter.dts, shorter.time_base = packet.pts, packet.dts, packet.time_base
                        packet = shorter
            for frame in stream.codec_context.decode(packet if packet.size else None):
                if frame.time is not None and frame.time >= scaled / fps - 1e-3:
                    frame.reformat(*size, "rgb24", interpolation="AREA").to_ndarray()
                    scaled += 1
    return scaled


if __name__ == "__main__":
    decode(sys.argv[1], float(sys.argv[2]), skip="skip" in sys.argv[3:])
