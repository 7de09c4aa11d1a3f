package pdf

// PictureError is pictureError.
type PictureError = pictureError
