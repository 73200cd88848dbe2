"""Files that come in: pictures in forms, videos by resumable upload."""
